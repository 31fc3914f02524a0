import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../bot/agent/reply.ts';
import { mayInvite } from '../../bot/conversation/standing.ts';
import { waitingMessages } from '../../shared/db/messages.ts';
import { approvals, auditEvents, executions, turns } from '../../shared/db/schema.ts';
import { OPERATOR, STRANGER, VIEWER } from '../support/house.ts';
import {
  calls,
  exchange,
  lastWords,
  runsOn,
  says,
  talk,
  until,
  withCard,
} from '../support/talk.ts';

describe('people and rooms', () => {
  it('lets a viewer ask and look, under no window, and names who asked', async () => {
    const t = await withCard();
    await exchange(t, 'yes');
    await t.runs(1);
    await t.settled();
    const lines = await exchange(t, 'restart nginx', { sender: VIEWER });
    const asked = await t.execution(2);
    expect(asked).toMatchObject({ status: 'pending_approval', requestedBy: VIEWER });
    expect(lines.join('\n')).toContain(`asked by ${VIEWER}`);
    const card = t.sent.find(({ content }) => content.body.startsWith('#2'));
    // Who may not decide need not be called.
    expect(card?.content['m.mentions']).toEqual({ user_ids: [OPERATOR] });
    expect(await exchange(t, 'yes', { sender: VIEWER })).toEqual([
      'Nothing ran: only an operator can decide that.',
    ]);
    expect((await t.execution(2)).status).toBe('pending_approval');
    await exchange(t, 'yes #2');
    expect((await t.execution(2)).status).toBe('approved');
  });

  it('lets no window serve a turn of an operator once a viewer has spoken into it', async () => {
    const held = Promise.withResolvers<void>();
    const replies: readonly (readonly [RegExp, () => Promise<Reply> | Reply])[] = [
      [/^\[oikos\] /, () => says('Noted.')],
      [/and the mail$/, () => runsOn('lxc:web', 'systemctl restart mail')],
      [/hold on$/, () => held.promise.then(() => calls('list_entities', {}))],
      [/restart nginx$/, () => runsOn('lxc:web', 'systemctl restart nginx')],
    ];
    const t = await talk((request) => {
      const words = lastWords(request);
      return replies.find(([pattern]) => pattern.test(words))?.[1]() ?? says('Noted.');
    });
    await exchange(t, 'restart nginx');
    await exchange(t, 'yes');
    await t.runs(1);
    await t.settled();
    await t.say('please look and hold on');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await t.say('and the mail', { sender: VIEWER });
    await new Promise((resolve) => setTimeout(resolve, 300));
    held.resolve();
    await t.settled();
    expect(await t.execution(2)).toMatchObject({
      command: 'systemctl restart mail',
      status: 'pending_approval',
    });
  });

  it('runs nothing of what an operator corrects while the model still writes it', async () => {
    const t = await talk(async (request) => {
      if (!lastWords(request).includes('restart nginx')) return says('Then not.');
      await t.say('no, leave it');
      await until(async () => (await waitingMessages(t.db, await taskId())).length > 0);
      return runsOn('lxc:web', 'systemctl restart nginx');
    });
    const taskId = async () => (await t.db.select().from(turns))[0]?.taskId ?? '';
    expect(await exchange(t, 'restart nginx')).toEqual(['Then not.']);
    expect(await t.db.select().from(executions)).toEqual([]);
    expect(JSON.stringify(t.requests.at(-1)?.messages)).toContain('Skipped, nothing ran');
  });

  it('only looks in a room that is not on the list, and says so once', async () => {
    const t = await talk((request) => {
      if (request.messages.at(-1)?.role === 'tool') return says('I may not.');
      return lastWords(request).includes('nginx')
        ? runsOn('lxc:web', 'systemctl restart nginx')
        : says('Hello.');
    });
    const elsewhere = { roomId: '!new:oikos.test' };
    const first = await exchange(t, 'hello', elsewhere);
    expect(first.join('\n')).toContain("npm run oikos -- room add '!new:oikos.test'");
    expect((await exchange(t, 'hello', elsewhere)).join('\n')).not.toContain('room add');
    await exchange(t, 'restart nginx', elsewhere);
    expect(await t.db.select().from(approvals)).toEqual([]);
    const told = JSON.stringify(t.requests.at(-1)?.messages);
    expect(told).toContain('nothing can be approved in it');
  });

  it('takes nothing from a locked operator', async () => {
    const t = await withCard();
    expect(await mayInvite(t.tellDeps, OPERATOR)).toBe(true);
    expect(await mayInvite(t.tellDeps, VIEWER)).toBe(false);
    expect(await exchange(t, `!oikos lock ${OPERATOR}`)).toEqual([
      expect.stringContaining('is locked'),
    ]);
    expect((await t.execution(1)).status).toBe('cancelled');
    expect(await mayInvite(t.tellDeps, OPERATOR)).toBe(false);
    const before = (await t.db.select().from(turns)).length;
    await exchange(t, 'restart nginx');
    expect(await t.db.select().from(turns)).toHaveLength(before);
  });

  it('takes what came over a bridge for talk', async () => {
    const t = await withCard();
    const bridged = { content: { external_url: 'https://bridge.example.org/1' } };
    expect(await exchange(t, 'yes', bridged)).toEqual([
      'Nothing ran: what comes over a bridge decides nothing.',
    ]);
    expect((await t.execution(1)).status).toBe('pending_approval');
  });

  it('keeps a stranger’s try at deciding in the ledger', async () => {
    const t = await withCard();
    const { cardEvent } = await t.execution(1);
    await t.event({
      type: 'm.reaction',
      sender: STRANGER,
      content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: cardEvent, key: '👍' } },
    });
    await t.settled();
    const rows = await t.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'decision.ignored'));
    expect(rows.map(({ actor }) => actor)).toEqual([STRANGER]);
  });

  it('says once that a stranger’s words are not taken, and takes none', async () => {
    const t = await withCard();
    const turnsBefore = (await t.db.select().from(turns)).length;
    const stranger = { sender: STRANGER };
    const lines = await exchange(t, 'restart nginx', stranger);
    expect(lines).toEqual([expect.stringContaining(`${STRANGER} is neither operator nor viewer`)]);
    expect(await exchange(t, 'yes', stranger)).toEqual([]);
    expect(await t.db.select().from(turns)).toHaveLength(turnsBefore);
    expect((await t.execution(1)).status).toBe('pending_approval');
  });
});
