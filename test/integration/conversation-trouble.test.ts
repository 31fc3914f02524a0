import { and, eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { MAX_STEPS } from '../../bot/agent/loop.ts';
import {
  agentSessions,
  approvals,
  executions,
  messages,
  outbox,
  turns,
} from '../../shared/db/schema.ts';
import { ROOM } from '../support/house.ts';
import {
  calls,
  lastWords,
  runsOn,
  says,
  talk,
  until,
  untilHandled,
  withCard,
} from '../support/talk.ts';

describe('a room in trouble', () => {
  it('loses no message because a receipt or the typing notice fails', async () => {
    const t = await talk(() => says('heard'));
    t.trouble = (what) =>
      ['receipt', 'typing'].includes(what) ? new Error('fetch failed') : undefined;
    await t.say('hello');
    await t.settled();
    expect(t.texts()).toEqual(['heard']);
  });

  it('goes on with the agent when a card cannot be edited for good', async () => {
    const t = await withCard();
    await t.say('yes');
    await t.settled();
    t.trouble = (what) => (what === 'edit' ? new Error('M_FORBIDDEN') : undefined);
    await t.runs(1);
    await t.settled();
    expect(JSON.stringify(t.requests.at(-1)?.messages)).toContain('#1 completed');
  });

  it('lets no room wait for another, however much is untold there', async () => {
    const t = await talk(() => says('heard'));
    t.trouble = (_what, roomId) =>
      roomId === '!dead:oikos.test' ? new Error('fetch failed') : undefined;
    const now = new Date();
    await t.db.insert(outbox).values(
      Array.from({ length: 250 }, () => ({
        type: 'room.say' as const,
        roomId: '!dead:oikos.test',
        at: now,
        data: { text: 'x' },
      })),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    await t.say('hello');
    await until(async () => t.texts().includes('heard'), 5_000);
  });

  it('lets no room wait for one whose homeserver does not answer', async () => {
    const t = await talk(() => says('heard'));
    const hanging = Promise.withResolvers<void>();
    const { sent } = t;
    const now = new Date();
    let hung = 0;
    t.trouble = (_what, roomId) => {
      if (roomId !== '!slow:oikos.test') return undefined;
      hung += 1;
      return undefined;
    };
    t.hang = (roomId) => (roomId === '!slow:oikos.test' ? hanging.promise : undefined);
    await t.db
      .insert(outbox)
      .values({ type: 'room.say', roomId: '!slow:oikos.test', at: now, data: { text: 'x' } });
    await until(async () => hung > 0, 5_000);
    await t.say('hello');
    await until(async () => t.texts().includes('heard'), 5_000);
    hanging.resolve();
    await t.settled();
    expect(sent.filter(({ roomId }) => roomId === '!slow:oikos.test')).toHaveLength(1);
  });

  it('holds up no turn for a typing notice that nobody answers', async () => {
    const t = await talk((request) => says(`heard ${request.messages.length}`));
    const hanging = Promise.withResolvers<void>();
    t.hang = (_roomId, what) => (what === 'typing' ? hanging.promise : undefined);
    await t.say('one');
    await t.settled();
    await t.say('two');
    await t.settled();
    hanging.resolve();
    expect(t.texts()).toHaveLength(2);
  });

  it('gives up what can never be told after a few tries, and goes on with the room', async () => {
    const t = await talk(() => says('heard'));
    await t.db.insert(outbox).values({ type: 'room.say', roomId: ROOM, at: new Date(), data: {} });
    await t.say('hello');
    await until(async () => t.texts().includes('heard'), 15_000);
  }, 20_000);

  it('shows a card once when a turn ends before the last one’s card was told', async () => {
    const t = await talk((request) =>
      request.messages.at(-1)?.role === 'tool' || !lastWords(request).includes('restart nginx')
        ? says('ok')
        : runsOn('lxc:web', 'systemctl restart nginx'),
    );
    t.trouble = (what) => (what === 'send' ? new Error('fetch failed') : undefined);
    await t.say('restart nginx');
    await until(async () => (await t.db.select().from(approvals)).length === 1);
    await until(async () =>
      (await t.db.select().from(turns)).every((one) => one.status === 'ended'),
    );
    await t.say('something else');
    await until(
      async () =>
        (await t.db.select().from(turns)).filter((one) => one.status === 'ended').length === 2,
    );
    t.trouble = undefined;
    await t.settled(15_000);
    expect(t.texts().filter((text) => text.startsWith('#1 needs your yes'))).toHaveLength(1);
  }, 20_000);

  it('attaches a long command that runs under a window', async () => {
    const long = `touch /srv/${'a'.repeat(3_000)}`;
    const t = await withCard();
    await t.say('yes');
    await t.settled();
    await t.runs(1);
    await t.settled();
    t.model = (request) =>
      request.messages.at(-1)?.role === 'tool' ? says('done') : runsOn('lxc:web', long);
    await t.say('the long one');
    await until(async () => (await t.db.select().from(executions)).length === 2);
    await t.runs(2);
    await t.settled(30_000);
    expect(t.files).toContain(long);
  }, 40_000);
});

describe('a turn in trouble', () => {
  it('is taken up again when its failure could not be recorded', async () => {
    const t = await talk(() => says('heard'));
    await t.say('hello');
    await t.settled();
    const [turn] = await t.db.select().from(turns);
    // As if the database had been away when the turn ended.
    await t.say('again');
    await t.settled();
    const second = (await t.db.select().from(turns)).find(({ id }) => id !== turn?.id);
    await t.db
      .update(turns)
      .set({ status: 'running', outcome: null, answer: null, endedAt: null })
      .where(eq(turns.id, second?.id ?? ''));
    await t.settled();
    const [now] = await t.db
      .select()
      .from(turns)
      .where(eq(turns.id, second?.id ?? ''));
    expect(now).toMatchObject({ status: 'ended', answer: 'heard' });
  });

  it('tells its last words even if something was said before they were told', async () => {
    const t = await talk(() => says('new words'));
    await t.say('hello');
    await t.settled();
    const [turn] = await t.db.select().from(turns);
    await t.mailbox.close();
    await t.db
      .update(turns)
      .set({ status: 'running', answer: null })
      .where(eq(turns.id, turn?.id ?? ''));
    await t.db
      .update(messages)
      .set({ content: 'last words' })
      .where(and(eq(messages.role, 'assistant'), eq(messages.turnId, turn?.id ?? '')));
    await t.say('more');
    await untilHandled(t);
    await t.restart();
    await t.settled();
    expect(t.texts()).toContain('last words');
    expect(t.texts().at(-1)).toBe('new words');
  });

  it('does not close a task over words that the agent has not read', async () => {
    const t = await talk();
    let asked = 0;
    t.model = async (request) => {
      asked += 1;
      if (asked === 1) {
        await t.say('one more thing');
        await untilHandled(t);
        return calls('complete_task', { outcome: 'success', summary: 'All done.' });
      }
      return says(`then: ${lastWords(request)}`);
    };
    await t.say('do it');
    await t.settled();
    expect(t.texts().some((text) => text.includes('one more thing'))).toBe(true);
    const tasks = await t.db.select().from(agentSessions);
    expect(tasks).toMatchObject([{ status: 'open' }]);
  });

  it('says the summary of a task that it had closed when the bot died', async () => {
    const t = await talk((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? says('surplus')
        : calls('complete_task', { outcome: 'success', summary: 'All done.' }),
    );
    await t.say('do it');
    await t.settled();
    const [turn] = await t.db.select().from(turns);
    await t.mailbox.close();
    await t.db
      .update(turns)
      .set({ status: 'running', answer: null })
      .where(eq(turns.id, turn?.id ?? ''));
    const asked = t.requests.length;
    await t.restart();
    await t.settled();
    expect(t.requests).toHaveLength(asked);
    const [now] = await t.db.select().from(turns);
    expect(now).toMatchObject({ status: 'ended', answer: 'All done.' });
  });

  it('is refused complete_task while a card waits', async () => {
    const t = await withCard();
    t.model = (request) =>
      request.messages.at(-1)?.role === 'tool'
        ? says('still open')
        : calls('complete_task', { outcome: 'success', summary: 'All done.' });
    await t.say('close it');
    await t.settled();
    expect(JSON.stringify(t.requests.at(-1)?.messages)).toContain('Refused: 1 cards or commands');
    expect(await t.db.select().from(agentSessions)).toMatchObject([{ status: 'waiting' }]);
  });

  it('ends after its steps with a summary', async () => {
    let n = 0;
    const t = await talk(({ wordsOnly }) => {
      n += 1;
      return wordsOnly ? says('so far') : calls('get_agent_activity', { limit: (n % 50) + 1 });
    });
    await t.say('go');
    await t.settled(30_000);
    expect(t.requests).toHaveLength(MAX_STEPS + 1);
    expect(t.texts().at(-1)).toBe('so far');
  }, 40_000);

  it('starts nothing twice when the model repeats one call', async () => {
    let n = 0;
    const t = await talk(() => {
      n += 1;
      return n < 6 ? runsOn('lxc:web', 'systemctl restart nginx') : says('enough');
    });
    await t.say('go');
    await t.settled();
    expect(await t.db.select().from(executions)).toHaveLength(1);
  });

  it('says once that it was called too often without a word', async () => {
    const t = await withCard();
    await t.say('yes');
    await t.settled();
    await t.db.update(agentSessions).set({ continuations: 20 });
    await t.runs(1);
    await t.settled();
    await t.restart();
    await t.db.insert(outbox).values({
      type: 'execution.ended',
      roomId: ROOM,
      taskId: (await t.execution(1)).taskId,
      executionId: (await t.execution(1)).id,
      at: new Date(),
    });
    await t.settled();
    const said = t.texts().filter((text) => text.includes('times in a row'));
    expect(said).toHaveLength(1);
  });

  it('is told of an end even when its task was closed and another one opened', async () => {
    const t = await withCard();
    await t.say('yes');
    await t.settled();
    await t.runs(1);
    await t.settled();
    const { id, taskId } = await t.execution(1);
    await t.db.execute(sql`update executions set seen_in_turn = null where id = ${id}`);
    await t.db.update(agentSessions).set({ status: 'done' }).where(eq(agentSessions.id, taskId));
    await t.say('hello again');
    await t.settled();
    await t.db.insert(outbox).values({
      type: 'execution.ended',
      roomId: ROOM,
      taskId,
      executionId: id,
      at: new Date(),
    });
    await t.settled();
    const [row] = await t.db.select().from(executions).where(eq(executions.id, id));
    expect(row?.seenInTurn).not.toBeNull();
  });
});

describe('text from anywhere', () => {
  it.each([
    ['lone surrogates', 'a \ud800 b'],
    ['NUL', 'a \u0000 b'],
    ['bidi and controls', 'a \u202e\u0007\u001b[31m b'],
    ['HTML', '<script>alert(1)</script><img src=x onerror=y>'],
    ['very much', `${'x'.repeat(200)} `.repeat(1_000)],
  ])('answers with %s reach the room', async (_name, text) => {
    const t = await talk(() => says(text));
    await t.say('hello');
    await t.settled();
    expect(t.texts()).toHaveLength(1);
    expect(t.texts()[0]).not.toContain('went wrong');
    expect(t.sent[0]?.content.formatted_body).not.toMatch(/<(?:script|img)/);
  });

  it.each([
    ['lone surrogates', 'touch /srv/\ud800'],
    ['NUL', 'touch /srv/a\u0000b'],
  ])('a command with %s ends in words, not in an error', async (_name, command) => {
    const t = await talk((request) =>
      request.messages.at(-1)?.role === 'tool' ? says('ok') : runsOn('lxc:web', command),
    );
    await t.say('go');
    await t.settled();
    const last = t.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    expect(last?.content).toMatch(/refused|characters/i);
    expect(await t.db.select().from(executions)).toEqual([]);
  });

  it('a refused target may hold any character', async () => {
    const target = `${'a'.repeat(199)}😀`;
    const t = await talk((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? says('ok')
        : runsOn(target.slice(0, 200), 'uptime'),
    );
    await t.say('go');
    await t.settled();
    const last = t.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    expect(last?.content).toContain('Refused');
  });

  it('status lists commands that hold any character', async () => {
    const t = await talk((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? says('ok')
        : runsOn('lxc:web', `touch ${'a'.repeat(73)}😀`),
    );
    await t.say('go');
    await t.settled();
    await t.say('!oikos status');
    await t.settled();
    expect(t.texts().at(-1)).toContain('say yes #1');
  });

  it.each([
    ['a number', 5],
    ['a list', [1, 2]],
    ['no event', { rel_type: 'm.thread' }],
    ['an object for an id', { rel_type: 'm.thread', event_id: { a: 1 } }],
    ['an edit of nothing', { rel_type: 'm.replace' }],
    ['a reply to a number', { 'm.in_reply_to': { event_id: 5 } }],
    ['a root as long as a book', { rel_type: 'm.thread', event_id: `$${'x'.repeat(9_000)}` }],
  ])('a relation that is %s stops nothing', async (_name, relation) => {
    const t = await talk(() => says('heard'));
    await t.say('first', { content: { 'm.relates_to': relation } });
    await t.say('second');
    await t.settled();
    expect(t.texts().filter((text) => text.includes('could not handle'))).toEqual([]);
    expect(t.texts()).toContain('heard');
  });

  it('odd bodies, types and senders stop nothing', async () => {
    const t = await talk(() => says('heard'));
    const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`);
    await t.event({ content: { msgtype: 'm.text', body: 5 } });
    await t.event({ content: { msgtype: {}, body: 'x' } });
    await t.event({ content: { msgtype: 'm.text', body: '   ' } });
    await t.event({ content: { msgtype: 'm.image', body: 'yes', deep } });
    await t.event({ type: 'm.reaction', content: { 'm.relates_to': deep } });
    await t.event({ type: 'm.room.redaction', redacts: '$nothing' });
    await t.event({ type: 'x'.repeat(3_000), content: {} });
    await t.say('hello');
    await t.settled();
    expect(t.texts()).toEqual(['heard']);
  });
});
