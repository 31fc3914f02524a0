import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { liveCards } from '../../bot/chores/live-cards.ts';
import { remindOfCards } from '../../bot/chores/remind.ts';
import { readNow } from '../../shared/db/clock.ts';
import { advance } from '../../shared/db/executions.ts';
import { saveOutput } from '../../shared/db/output.ts';
import { approvals, entities, executions, windows } from '../../shared/db/schema.ts';
import { endOutlivedWindows } from '../../shared/db/windows.ts';
import { OPERATOR } from '../support/house.ts';
import {
  exchange,
  lastWords,
  type Model,
  runsOn,
  type Sent,
  says,
  type Talk,
  talk,
  until,
  withCard,
} from '../support/talk.ts';

/** What makes a phone ring: a new m.text that mentions somebody. */
function rings({ content, edits }: Sent): boolean {
  return (
    edits === undefined &&
    content.msgtype === 'm.text' &&
    (content['m.mentions']?.user_ids ?? []).length > 0
  );
}

const allDay = { wakingHours: { from: 0, to: 24 }, timeZone: 'UTC' } as const;

const destroys: Model = (request) => {
  if (request.messages.at(-1)?.role === 'tool') return says('It waits for you.');
  const words = lastWords(request);
  return words.startsWith('[oikos] ')
    ? says('Noted.')
    : runsOn('host:lab', 'pct destroy 102', 'I would remove it.');
};

describe('a card that nobody answers', () => {
  it('rings once more after half an hour, and not a third time', async () => {
    const t = await withCard();
    await remindOfCards({ db: t.db, ...allDay });
    await t.settled();
    const before = t.sent.length;
    await t.moveClock(31);
    await remindOfCards({ db: t.db, ...allDay });
    await t.settled();
    await remindOfCards({ db: t.db, ...allDay });
    await t.settled();
    const since = t.sent.slice(before);
    expect(since).toHaveLength(1);
    expect(since.every(rings)).toBe(true);
    expect(since[0]?.content.body).toContain('#1 systemctl restart nginx on lxc:web: say yes #1');
    await t.say('yes');
    await t.settled();
    expect((await t.execution(1)).status).toBe('approved');
  });

  it('lets people sleep', async () => {
    const t = await withCard();
    await t.moveClock(31);
    const hour = (await readNow(t.db)).getUTCHours();
    const wakingHours = { from: (hour + 1) % 24, to: (hour + 2) % 24 };
    await remindOfCards({ db: t.db, wakingHours, timeZone: 'UTC' });
    const [card] = await t.db.select().from(approvals);
    expect(card?.remindedAt).toBeNull();
  });
});

describe('windows', () => {
  it('are told to have ended when their time is over, once', async () => {
    const t = await withCard();
    await exchange(t, 'yes');
    await t.moveClock(31);
    const before = t.texts().length;
    await endOutlivedWindows(t.db, await readNow(t.db));
    await endOutlivedWindows(t.db, await readNow(t.db));
    await t.settled();
    expect(t.texts().slice(before)).toEqual([
      'Window closed, its time is over: further changes of T1 ask again.',
    ]);
  });

  it('are told to have closed when a card is denied', async () => {
    const t = await talk((request) => {
      const words = lastWords(request);
      if (request.messages.at(-1)?.role === 'tool') return says('It waits.');
      if (words.includes('nginx')) return runsOn('lxc:web', 'systemctl restart nginx');
      return words.includes('away') ? runsOn('host:lab', 'pct destroy 102') : says('Noted.');
    });
    await exchange(t, 'restart nginx');
    await exchange(t, 'yes');
    await exchange(t, 'take dns away');
    const lines = await exchange(t, '👎 #2');
    expect(lines.join('\n')).toContain('Window closed, @op:oikos.test said no');
    expect((await t.db.select().from(windows)).every(({ revokedAt }) => revokedAt !== null)).toBe(
      true,
    );
  });
});

it('tells what one confirmed destruction opened, and its end, in one line each', async () => {
  const t = await talk(destroys);
  await exchange(t, 'take it away');
  const opened = await exchange(t, 'I confirm destroy 102');
  expect(opened.filter((line) => line.startsWith('Window'))).toEqual([
    expect.stringMatching(/^Windows open: further changes of T1 .* on lxc\/102@host:lab runs/),
  ]);
  await t.moveClock(31);
  const before = t.texts().length;
  await endOutlivedWindows(t.db, await readNow(t.db));
  await t.settled();
  expect(t.texts().slice(before)).toEqual([expect.stringMatching(/^Windows closed, its time/)]);
});

describe('what rings', () => {
  const dialogues: readonly (readonly [string, Model, (t: Talk) => Promise<void>])[] = [
    ['a question and its answer', () => says('42.'), (t) => quiet(t, 'how full is the disk')],
    ['a change: card, yes, end', restarts(), async (t) => approveAndEnd(t, 'yes')],
    ['a change that is denied', restarts(), (t) => quiet(t, 'restart nginx', 'no')],
    ['a change that fails', restarts(), async (t) => approveAndEnd(t, 'yes', 'failed')],
    ['a question about an open card', restarts(), (t) => quiet(t, 'restart nginx', 'what for')],
    ['a destruction by its sentence', destroys, (t) => quiet(t, 'go', 'I confirm destroy 102')],
    ['a stop while a card waits', restarts(), (t) => quiet(t, 'restart nginx', 'stop')],
    ['a yes to nothing', () => says('What do you mean?'), (t) => quiet(t, 'yes')],
    ['commands of the room', restarts(), (t) => quiet(t, '!oikos status', '!oikos help')],
    ['a hold', restarts(), (t) => quiet(t, 'restart nginx', 'wait', 'yes #1')],
  ];

  it.each(dialogues)('at most three times: %s', async (_name, model, speak) => {
    const t = await talk(model);
    await speak(t);
    const ringing = t.sent.filter(rings).map(({ content }) => content.body);
    expect(ringing.length, ringing.join('\n---\n')).toBeLessThanOrEqual(3);
    // What does not ring is a notice, so that no client makes a sound of its own.
    const loud = t.sent.filter(
      (sent) => sent.edits === undefined && sent.content.msgtype === 'm.text' && !rings(sent),
    );
    expect(loud.map(({ content }) => content.body)).toEqual([]);
  });

  it('is the card, not the words in front of it', async () => {
    const t = await talk(restarts());
    expect(await exchange(t, 'restart nginx')).toContain('I would restart it.');
    const ringing = t.sent.filter(rings).map(({ content }) => content.body.split(':')[0]);
    expect(ringing).toEqual(['#1 needs your yes']);
  });

  it('says all in the first line of a card, and mentions who must act', async () => {
    const t = await withCard();
    const card = t.sent.find(({ content }) => content.body.startsWith('#1'));
    expect(card?.content.body.split('\n')[0]).toBe(
      '#1 needs your yes: systemctl restart nginx on lxc:web',
    );
    expect(card?.content['m.mentions']).toEqual({ user_ids: [OPERATOR] });
  });

  it('rings when a run was stopped', async () => {
    const t = await withCard();
    await exchange(t, 'yes');
    await t.runs(1, 'cancelled');
    await t.settled();
    expect(t.sent.filter(rings).map(({ content }) => content.body)).toContainEqual(
      expect.stringContaining('#1 was stopped while it ran'),
    );
  });

  it('tells both operator and agent of a card that has expired', async () => {
    const t = await withCard();
    await t.moveClock(25 * 60);
    const lines = await exchange(t, 'yes #1');
    expect(lines.join('\n')).toContain('#1 has expired, nothing ran');
    const { cardEvent } = await t.execution(1);
    await exchange(t, 'anything new?', {
      content: { 'm.relates_to': { rel_type: 'm.thread', event_id: cardEvent } },
    });
    expect(JSON.stringify(t.requests.at(-1)?.messages)).toContain('expired, nothing ran');
  });
});

function restarts(): Model {
  return (request) => {
    if (request.messages.at(-1)?.role === 'tool') return says('It waits for you.');
    const words = lastWords(request);
    return words.includes('restart nginx') && !words.startsWith('[oikos] ')
      ? runsOn('lxc:web', 'systemctl restart nginx', 'I would restart it.')
      : says('Done.');
  };
}

async function quiet(t: Talk, ...words: string[]): Promise<void> {
  for (const one of words) await exchange(t, one);
}

async function approveAndEnd(
  t: Talk,
  yes: string,
  end: 'succeeded' | 'failed' = 'succeeded',
): Promise<void> {
  await exchange(t, 'restart nginx');
  await exchange(t, yes);
  await t.runs(1, end, 'out');
  await t.settled();
}

describe('a grace after a grave yes', () => {
  it('shows the seconds that are left, and oops calls it off', async () => {
    const t = await talk(destroys, { graceMs: 10_000 });
    await exchange(t, 'take it away');
    await exchange(t, 'I confirm destroy 102');
    const graced = await t.execution(1);
    expect(graced.status).toBe('approved');
    expect(graced.notBefore?.getTime()).toBe((graced.approvedAt?.getTime() ?? 0) + 10_000);
    // Nobody was rung: the sweep finds it when its grace is over.
    expect(t.rung).toEqual([]);
    const shown = () => t.sent.findLast(({ edits }) => edits === graced.cardEvent)?.content.body;
    expect(shown()).toMatch(/^#1 is approved and starts in (?:10|9) s, 🛑 or "oops" stops it/);
    const live = liveCards(t.tellDeps);
    await live();
    await t.moveClock(4 / 60);
    await live();
    expect(shown()).toMatch(/^#1 is approved and starts in [56] s/);
    expect(await exchange(t, 'oops')).toEqual([
      'Your yes is taken back: called off #1, nothing ran.',
    ]);
    expect((await t.execution(1)).status).toBe('cancelled');
    expect((await t.db.select().from(windows)).every(({ revokedAt }) => revokedAt !== null)).toBe(
      true,
    );
  });

  it('gives none to what can be undone', async () => {
    const t = await withCard(undefined, { graceMs: 10_000 });
    await exchange(t, 'yes');
    expect((await t.execution(1)).notBefore).toBeNull();
  });

  it('is ended by 🛑 on the card', async () => {
    const t = await talk(destroys, { graceMs: 10_000 });
    await exchange(t, 'take it away');
    await exchange(t, 'I confirm destroy 102');
    const { cardEvent } = await t.execution(1);
    await t.event({
      type: 'm.reaction',
      content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: cardEvent, key: '🛑' } },
    });
    await t.settled();
    expect((await t.execution(1)).status).toBe('cancelled');
  });
});

describe('oops', () => {
  it('stops what runs already', async () => {
    const t = await withCard();
    await exchange(t, 'yes');
    await t.claims(1);
    expect(await exchange(t, 'undo')).toEqual(['Your yes is taken back: stopping #1.']);
    expect((await t.execution(1)).cancelRequestedBy).toBe(OPERATOR);
  });

  it('is talk where it follows no yes, or something was said in between', async () => {
    const t = await withCard();
    await exchange(t, 'oops');
    expect((await t.execution(1)).status).toBe('pending_approval');
    await exchange(t, 'yes #1');
    await exchange(t, 'and tell me when it is done');
    await exchange(t, 'oops');
    expect((await t.execution(1)).status).toBe('approved');
  });
});

describe('a yes that comes late', () => {
  it('runs nothing when the fleet has changed, and shows how it is now', async () => {
    const t = await talk(destroys);
    await exchange(t, 'take it away');
    await t.db.update(entities).set({ name: 'mail' }).where(eq(entities.slug, 'lxc:dns'));
    await t.moveClock(61);
    const lines = await exchange(t, 'I confirm destroy 102');
    expect((await t.execution(1)).status).toBe('cancelled');
    expect((await t.execution(2)).status).toBe('pending_approval');
    expect(lines.join('\n')).toContain('what it acts on is not what the card showed');
    expect(lines.join('\n')).toContain('CT 102 "mail"');
    await exchange(t, 'I confirm destroy 102');
    expect((await t.execution(2)).status).toBe('approved');
  });

  it('counts when nothing has changed', async () => {
    const t = await withCard();
    await t.moveClock(61);
    await exchange(t, 'yes #1');
    expect((await t.execution(1)).status).toBe('approved');
  });
});

describe('a command that runs long', () => {
  it('is seen to move in the one notice of its turn', async () => {
    const t = await talk((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? says('It is done.')
        : runsOn('lxc:web', 'find / -name core'),
    );
    await t.say('look for cores');
    await until(async () => (await t.db.select().from(executions)).length > 0);
    const [row] = await t.db.select().from(executions);
    const change = { actor: 'daemon/1', now: await readNow(t.db) };
    const id = row?.id ?? '';
    await t.db.transaction((tx) =>
      advance(tx, id, 'claimed', { ...change, patch: { startedAt: change.now } }),
    );
    await saveOutput(t.db, id, [{ seq: 1, stream: 'stdout', text: '/srv\n/srv/core.17\n' }]);
    await until(async () =>
      t.sent.some(({ content }) => content.body.includes('last: /srv/core.17')),
    );
    // It has no card: the notice is where it can be stopped.
    const notice = t.sent.find(({ content }) => content.body.includes('find / -name core'));
    await t.event({
      type: 'm.reaction',
      content: {
        'm.relates_to': { rel_type: 'm.annotation', event_id: notice?.eventId, key: '🛑' },
      },
    });
    await until(async () => (await t.db.select().from(executions))[0]?.cancelRequestedAt != null);
    await t.db.transaction((tx) => advance(tx, id, 'succeeded', { ...change, patch: {} }));
    await t.settled();
    const notices = t.sent.filter(({ content }) => content.body.includes('find / -name core'));
    // One message, edited in place, and nothing of the tail once it has ended.
    expect(notices.filter(({ edits }) => edits === undefined)).toHaveLength(1);
    expect(notices.at(-1)?.content.body).not.toContain('last:');
  });
});

describe('C9: what comes back after a month', () => {
  it('starts no turn and decides nothing, under whatever new id', async () => {
    const t = await withCard();
    const at = new Date(Date.now() - 30 * 24 * 60 * 60_000);
    const before = { texts: t.texts().length, turns: t.requests.length };
    const { cardEvent } = await t.execution(1);
    for (const words of ['go ahead', 'yes #1', '/restart', '!deploy', '!oikos stop', 'stop']) {
      await t.say(words, { at });
    }
    await t.event({
      type: 'm.reaction',
      at,
      content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: cardEvent, key: '👍' } },
    });
    await t.settled();
    expect([t.texts().length, t.requests.length]).toEqual([before.texts, before.turns]);
    expect((await t.execution(1)).status).toBe('pending_approval');
  });

  it('is said to decide nothing, where only its clock or its way was slow', async () => {
    const t = await talk((request) =>
      request.messages.some(({ role }) => role === 'tool')
        ? says('It waits for you.')
        : runsOn('lxc:web', 'systemctl restart nginx'),
    );
    const at = new Date(Date.now() - 2 * 60 * 60_000);
    await t.say('restart nginx', { at });
    await t.settled();
    expect(await exchange(t, 'yes #1', { at })).toEqual([
      `${OPERATOR}, words of yours came more than an hour late, by your server's clock: they decide nothing, and nothing ran. Still open: #1.`,
    ]);
    expect(await exchange(t, 'how are you', { at })).toEqual([]);
    expect((await t.execution(1)).status).toBe('pending_approval');
  });

  it('is heard where nothing newer was: a month of silence is not old news', async () => {
    const t = await talk(() => says('Welcome back.'));
    const at = new Date(Date.now() - 30 * 24 * 60 * 60_000);
    expect(await exchange(t, 'hello', { at })).toEqual(['Welcome back.']);
  });

  it('is not made deaf by one event that is dated ahead', async () => {
    const t = await talk(() => says('Here I am.'));
    await t.say('from tomorrow', { at: new Date(Date.now() + 24 * 60 * 60_000) });
    await t.settled();
    expect(await exchange(t, 'hello')).toEqual(['Here I am.']);
  });
});
