import { asc } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { rules } from '../../shared/db/schema.ts';
import { OPERATOR, STRANGER } from '../support/house.ts';
import { lastWords, runsOn, says, type Talk, talk, until } from '../support/talk.ts';

/** Runs what is written after "run: ", and says "Noted." to everything else. */
async function room(): Promise<Talk> {
  const t = await talk((request) => {
    const words = lastWords(request);
    const wanted = /run: (.+) on (\S+)$/.exec(words);
    if (request.messages.at(-1)?.role !== 'user' || !wanted) return says('Noted.');
    return runsOn(wanted[2] ?? '', wanted[1] ?? '');
  });
  return t;
}

async function tell(t: Talk, words: string, more: Parameters<Talk['say']>[1] = {}) {
  await t.say(words, more);
  await t.settled();
  return t.texts().at(-1) ?? '';
}

/** A card that was answered with yes and ran well. */
async function ran(t: Talk, number: number, words: string): Promise<void> {
  await tell(t, `run: ${words}`);
  await tell(t, `yes #${number}`);
  await t.runs(number);
  await t.settled();
}

/** A command that runs at once: the turn waits for its end. */
async function unasked(t: Talk, number: number, words: string): Promise<void> {
  await t.say(`run: ${words}`);
  await until(() =>
    t.execution(number).then(
      ({ status }) => status === 'approved',
      () => false,
    ),
  );
  await t.runs(number);
  await t.settled();
}

const all = (t: Talk) => t.db.select().from(rules).orderBy(asc(rules.number));

describe('always allow', () => {
  it('makes a pattern of a reversible_low card that ran, and the next run says by what it runs', async () => {
    const t = await room();
    await ran(t, 1, 'systemctl reload nginx on lxc:web');
    const line = await tell(t, 'always allow #1');
    expect(line).toContain('R1 counts from now on: `systemctl reload nginx` on lxc:web (CT 101');
    expect(line).toContain('at most 6 times in 24 hours');
    await unasked(t, 2, 'systemctl reload nginx on lxc:web');
    expect(await t.execution(2)).toMatchObject({ authorization: { kind: 'pattern' } });
    const lines = t.sent.map(({ content }) => content.body).filter((body) => body.startsWith('#2'));
    expect(lines[0]).toMatch(
      new RegExp(
        `^#2 (runs now|completed.*) by R1 \\(1 of 6 in 24 hours\\), allowed by ${OPERATOR} on \\d+ \\w+ \\d{4}: `,
      ),
    );
  });

  it('takes a reply to the card, and only of this room', async () => {
    const t = await room();
    await ran(t, 1, 'systemctl reload nginx on lxc:web');
    const card = (await t.execution(1)).cardEvent ?? '';
    const reply = (event: string) => ({
      content: { 'm.relates_to': { 'm.in_reply_to': { event_id: event } } },
    });
    expect(await tell(t, 'always allow')).toContain('say which card');
    expect(await tell(t, 'always allow', reply('$nowhere'))).toContain('say which card');
    expect(await tell(t, 'always allow, 2 a day', reply(card))).toContain('R1 counts from now on');
    expect(await all(t)).toMatchObject([{ dailyCap: 2, kind: 'pattern', allowedBy: OPERATOR }]);
  });

  it('decides nothing about a card that waits, and says so', async () => {
    const t = await room();
    await tell(t, 'run: systemctl reload nginx on lxc:web');
    expect(await tell(t, 'always allow #1')).toContain('#1 still waits for its own answer');
    expect((await t.execution(1)).status).toBe('pending_approval');
    expect(await tell(t, 'always allow #9')).toContain('there is no #9 in this room');
    await tell(t, 'no #1');
    expect(await tell(t, 'always allow #1')).toContain('#1 is denied');
    expect(await all(t)).toEqual([]);
  });

  it('says nothing to anybody who is no operator', async () => {
    const t = await room();
    await ran(t, 1, 'systemctl reload nginx on lxc:web');
    const before = t.texts().length;
    await tell(t, 'always allow #1', { sender: STRANGER });
    expect(t.texts().slice(before)).toEqual([
      expect.stringContaining(`${STRANGER} is neither operator nor viewer`),
    ]);
    expect(await all(t)).toEqual([]);
  });

  it('ends with its message, with a command, and is listed until then', async () => {
    const t = await room();
    await ran(t, 1, 'systemctl reload nginx on lxc:web');
    const of = await t.say('always allow #1');
    await t.settled();
    expect(await tell(t, '!oikos rules')).toContain('R1 (pattern): `systemctl reload nginx`');
    await t.event({ type: 'm.room.redaction', redacts: of, content: { redacts: of } });
    await t.settled();
    expect(t.texts().at(-1)).toContain('R1 no longer counts');
    await tell(t, 'always allow #1, 1 a day');
    expect(await tell(t, '!oikos revoke R2')).toContain('R2 no longer counts');
    expect(await tell(t, '!oikos revoke R2')).toContain('was revoked before');
    expect(await tell(t, '!oikos revoke R7')).toContain('There is no R7');
    expect(await tell(t, '!oikos rules')).toContain('Nothing is always allowed');
  });
});

describe('a standing rule', () => {
  const WISH = 'always allow restart jellyfin on lxc:web, 3 a day';

  it('counts once the operator has seen it and typed its sentence', async () => {
    const t = await room();
    const shown = await tell(t, WISH);
    expect(shown).toContain('`systemctl restart jellyfin` on lxc:web (CT 101 "web" on host:lab)');
    expect(shown).toContain('at most 3 times in 24 hours');
    expect(shown).toContain('I confirm rule R1');
    await tell(t, 'yes');
    await tell(t, 'I confirm rule R2');
    expect(await all(t)).toMatchObject([{ allowedAt: null }]);
    expect(await tell(t, 'I confirm rule R1')).toContain('R1 counts from now on');
    await unasked(t, 1, 'systemctl restart jellyfin on lxc:web');
    expect(await t.execution(1)).toMatchObject({ authorization: { kind: 'rule' } });
    expect(await tell(t, WISH)).toContain('R1 allows that already');
  });

  it('ends when the message with its sentence is removed', async () => {
    const t = await room();
    await tell(t, WISH);
    const of = await t.say('I confirm rule R1');
    await t.settled();
    await t.event({ type: 'm.room.redaction', redacts: of, content: { redacts: of } });
    await t.settled();
    expect(t.texts().at(-1)).toContain('R1 no longer counts');
    expect(await all(t)).toMatchObject([{ revokedBy: OPERATOR }]);
  });

  it('can be made of a card that ran', async () => {
    const t = await room();
    await ran(t, 1, 'systemctl restart nginx on lxc:web');
    expect(await tell(t, 'always allow #1, 2 a day')).toContain('I confirm rule R1');
    expect(await tell(t, 'I confirm rule R1')).toContain('at most 2 times in 24 hours');
  });

  it('is confirmed within half an hour', async () => {
    const t = await room();
    await tell(t, WISH);
    await t.moveClock(31);
    expect(await tell(t, 'I confirm rule R1')).toContain('too long ago');
    expect(await all(t)).toMatchObject([{ allowedAt: null }]);
  });

  it('is not confirmed by words that came before it was shown', async () => {
    const t = await room();
    await t.say(WISH);
    await t.say('I confirm rule R1');
    await t.settled();
    expect(t.texts().join('\n')).toContain('came before R1 was shown');
    expect(await all(t)).toMatchObject([{ allowedAt: null }]);
    expect(await tell(t, 'I confirm rule R1')).toContain('R1 counts from now on');
  });

  it.each([
    ['always allow restart nginx on host:lab, 3 a day', 'no rule covers changes on a host'],
    ['always allow pct destroy 101 on lab', 'no rule covers changes on a host'],
    ['always allow rm -rf /srv on lxc:web', 'it counts as destructive'],
    ['always allow reload nginx on lxc:web', 'it is reversible_low: let it run once'],
    ['always allow uptime on lxc:web', 'it only reads'],
    ['always allow restart nginx on lxc:nope', 'no target "lxc:nope"'],
    ['always allow restart jellyfin on lxc:web when its check is down', 'has no condition yet'],
  ])('is never made by: %s', async (words, why) => {
    const t = await room();
    expect(await tell(t, words)).toContain(why);
    expect(await all(t)).toEqual([]);
  });
});
