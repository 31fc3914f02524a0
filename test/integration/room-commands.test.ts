import { and, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { agentSessions, auditEvents, messages, turns, windows } from '../../shared/db/schema.ts';
import { OPERATOR, VIEWER } from '../support/house.ts';
import { says, type Talk, talk, withCard } from '../support/talk.ts';

/** What the bot has said since, oldest first. */
async function said(t: Talk, words: string, more = {}): Promise<string> {
  const before = t.texts().length;
  await t.say(words, more);
  await t.settled();
  return t.texts().slice(before).join('\n');
}

describe('!oikos', () => {
  it('answers from rows, with the model out', async () => {
    const t = await withCard();
    t.model = () => {
      throw new Error('the model is out');
    };
    const turnsBefore = (await t.db.select().from(turns)).length;
    expect(await said(t, '!oikos help')).toContain('!oikos why #7');
    expect(await said(t, '!oikos status')).toContain('#1 systemctl restart nginx on lxc:web');
    expect(await said(t, '!oikos windows')).toContain('No window is open');
    expect(await said(t, '!OIKOS  Tasks')).toContain('T1 (waiting)');
    expect(await said(t, '!oikos sing')).toContain('I know no command "sing"');
    expect(await t.db.select().from(turns)).toHaveLength(turnsBefore);
  });

  it('shows a card again in full, and words bind to it again', async () => {
    const t = await withCard();
    expect(await said(t, '!oikos show #1')).toContain('#1 needs your yes');
    await t.say('yes');
    await t.settled();
    expect((await t.execution(1)).status).toBe('approved');
  });

  it('puts the whole output of which the card shows the end only into its thread', async () => {
    const t = await withCard();
    await t.say('yes');
    await t.settled();
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n');
    await t.runs(1, 'succeeded', lines);
    await t.settled();
    // It has been told in the card's thread already, which rings no phone.
    const whole = t.sent.find(({ content }) => content.body.includes('line 0\n'));
    const { cardEvent } = await t.execution(1);
    expect(whole?.content).toMatchObject({
      msgtype: 'm.notice',
      'm.relates_to': { rel_type: 'm.thread', event_id: cardEvent },
    });
    expect(t.files).toEqual([]);
    await said(t, '!oikos show 1');
    const shown = t.sent.findLast(({ content }) => content.body.startsWith('#1 completed'));
    expect(t.files).toEqual([lines]);
    expect(t.fileThreads).toEqual([{ root: shown?.eventId }]);
  });

  it('makes a file of an output that no message holds, in the thread of its card too', async () => {
    const t = await withCard();
    await t.say('yes');
    await t.settled();
    // Short enough by itself, but with its HTML and its escapes it is more than one message holds.
    const lines = Array.from({ length: 400 }, (_, at) => `"line": ["${at}", "&"],`).join('\n');
    expect(lines.length).toBeLessThan(12_000);
    await t.runs(1, 'succeeded', lines);
    await t.settled();
    expect(t.files).toEqual([lines]);
    expect(t.fileThreads).toEqual([{ root: (await t.execution(1)).cardEvent }]);
  });

  it('tells why: who proposed, how the gate judged, who said yes with which words, what came of it', async () => {
    const t = await withCard();
    await t.say('go ahead');
    await t.settled();
    await t.runs(1);
    await t.settled();
    const story = await said(t, '!oikos why #1');
    expect(story).toMatch(/agent:nomos proposed it for @op:oikos\.test; the gate judged it/);
    expect(story).toContain('@op:oikos.test said yes by words ("go ahead")');
    expect(story).toContain('it completed with exit 0');
  });

  it('approves and denies by number like words, under the same rules', async () => {
    const t = await withCard();
    await said(t, '!oikos deny 1');
    expect((await t.execution(1)).status).toBe('denied');
    expect(await said(t, '!oikos approve 1')).toContain('#1 waits no more');
    expect(await said(t, '!oikos approve 9')).toContain('no card #9');
    expect(await said(t, '!oikos approve all')).toContain('Name one card');
    expect(await said(t, '!oikos approve 1 because I say so')).toContain('Name one card');
  });

  it('tells the agent why a card was denied', async () => {
    const t = await withCard();
    await said(t, '!oikos deny 1 not before the backup\nhas run');
    expect(await t.execution(1)).toMatchObject({
      status: 'denied',
      reason: `${OPERATOR} said no: not before the backup has run`,
    });
    expect(JSON.stringify(t.requests.at(-1)?.messages)).toContain(
      `${OPERATOR} said no: not before the backup has run`,
    );
  });

  it('runs the operator’s own reading command at once, and tells its end, without the model', async () => {
    const t = await talk(() => says('Nothing to say.'));
    expect(await said(t, '!oikos run lxc:web uptime')).toBe('');
    expect(await t.execution(1)).toMatchObject({
      status: 'approved',
      risk: 'read_only',
      requestedBy: OPERATOR,
      command: 'uptime',
    });
    await t.runs(1, 'succeeded', 'up 3 days');
    await t.settled();
    expect(t.sent.at(-1)?.content.body).toMatch(/#1 completed.*uptime on lxc:web.*up 3 days/s);
    expect(t.requests).toHaveLength(0);
    // The agent hears of it with the next words.
    await said(t, 'hello');
    expect(JSON.stringify(t.requests.at(-1)?.messages)).toContain('up 3 days');
  });

  it('puts the operator’s own change on a card like any other', async () => {
    const t = await talk();
    expect(await said(t, '!oikos run lxc:web systemctl restart nginx')).toContain(
      '#1 needs your yes',
    );
    expect(await said(t, '!oikos run lxc:nowhere uptime')).toContain('Refused, nothing ran');
    await said(t, 'yes #1');
    expect((await t.execution(1)).status).toBe('approved');
    expect(t.requests).toHaveLength(0);
  });

  it('makes nothing twice when its event comes twice', async () => {
    const t = await talk();
    const eventId = await t.say('!oikos run lxc:web systemctl restart nginx');
    await t.settled();
    await t.db.execute(`update matrix_inbox set status = 'new' where event_id = '${eventId}'`);
    await t.restart();
    await t.settled();
    const cards = t.texts().filter((text) => text.includes('#1 needs your yes'));
    expect(cards).toHaveLength(1);
    expect(await t.db.select().from(turns)).toHaveLength(1);
  });

  it('begins a fresh task, but not over open work', async () => {
    const t = await withCard();
    expect(await said(t, '!oikos new')).toContain('T1 still has 1 cards or commands open');
    await said(t, 'no');
    expect(await said(t, '!oikos new')).toContain('T1 is closed');
    await said(t, 'hello');
    const tasks = await t.db.select().from(agentSessions);
    expect(tasks.map(({ number, status }) => [number, status])).toEqual([
      [1, 'abandoned'],
      [2, 'open'],
    ]);
  });

  it('deletes a task only when asked a second time, and keeps the ledger', async () => {
    const t = await withCard();
    await said(t, 'no');
    expect(await said(t, '!oikos delete T1 really')).toContain('within 10 minutes');
    expect(await t.db.select().from(messages)).not.toEqual([]);
    expect(await said(t, '!oikos delete T1 really')).toContain('T1 is deleted');
    expect(await t.db.select().from(messages)).toEqual([]);
    expect(await said(t, '!oikos why #1')).toContain('@op:oikos.test said no');
    const [deleted] = await t.db
      .select()
      .from(auditEvents)
      .where(and(eq(auditEvents.kind, 'task.deleted'), eq(auditEvents.actor, OPERATOR)));
    expect(deleted?.data).toEqual({ number: 1 });
  });

  it('holds the agent back while paused, and loses nothing that was said', async () => {
    const t = await talk(() => says('Here I am.'));
    await said(t, '!oikos pause');
    await t.say('are you there');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(t.requests).toHaveLength(0);
    expect(await said(t, '!oikos resume')).toContain('Here I am.');
    expect(await said(t, '!oikos resume')).toContain('was not paused');
  });

  it('gives viewers what only looks', async () => {
    const t = await withCard();
    const viewer = { sender: VIEWER };
    expect(await said(t, '!oikos status', viewer)).toContain('#1 systemctl restart nginx');
    for (const line of ['approve 1', 'deny 1', 'run lxc:web uptime', 'revoke', 'pause', 'stop']) {
      expect(await said(t, `!oikos ${line}`, viewer)).toContain('is for operators');
    }
    expect((await t.execution(1)).status).toBe('pending_approval');
  });
});

describe('windows', () => {
  it('show when they open, while they are open, and when they close', async () => {
    const t = await withCard();
    const opened = await said(t, 'yes');
    expect(opened).toMatch(/Window open until .*\(30 min\): further changes of T1 run at once/);
    expect(await said(t, '!oikos windows')).toMatch(/further changes of T1, opened by @op/);
    expect(await said(t, '!oikos revoke T1')).toContain('Closed 1');
    expect(await said(t, '!oikos windows')).toContain('No window is open');
    const rows = await t.db.select().from(windows);
    expect(rows.every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  });
});
