import { describe, expect, it } from 'vitest';
import { checkLine } from '../check.ts';
import { roomChecks } from './room-checks.ts';
import type { BotRoom } from './rooms.ts';

const BOT = '@nomos:x.org';
const YOU = '@you:x.org';
const room = (more: Partial<BotRoom> = {}): BotRoom => ({
  id: '!a:x.org',
  name: 'Oikos',
  members: [BOT, YOU],
  encrypted: false,
  ...more,
});

describe('roomChecks', () => {
  const lines = (
    rooms: readonly BotRoom[],
    operators: readonly string[],
    invitations: Parameters<typeof roomChecks>[2] = [],
  ) => roomChecks(BOT, rooms, invitations, operators).map(checkLine);

  it('is content with an operator in an open room', () => {
    expect(lines([room()], [YOU])).toEqual([
      '✓ room Oikos (!a:x.org) with @you:x.org',
      '✓ operator @you:x.org is in a room with the bot',
    ]);
  });

  it.each([
    ['nobody is an operator', [], '✗ MATRIX_OPERATORS is empty, so nobody is obeyed'],
    ['an id lacks its server', ['@you'], '✗ operator @you is no whole Matrix id'],
    ['the bot is its own operator', [BOT], '✗ operator @nomos:x.org is the bot itself'],
    [
      'an operator is elsewhere',
      ['@me:y.org'],
      '✗ operator @me:y.org is in no room with the bot: invite',
    ],
    ['an id is nearly right', ['@You:x.com'], 'did you mean @you:x.org?'],
  ])('says when %s', (_case, operators, part) => {
    expect(lines([room()], operators).at(-1)).toContain(part);
  });

  it('says that an encrypted room is of no use yet', () => {
    expect(lines([room({ encrypted: true })], [YOU])).toEqual([
      '· room Oikos (!a:x.org) with @you:x.org is encrypted: Oikos cannot read there yet: make a room without encryption',
      '✗ operator @you:x.org shares only encrypted rooms with the bot: make one without encryption',
    ]);
  });

  it('tells invitations that the bot will follow from those that it will not', () => {
    const invitations = [
      { id: '!b:x.org', by: YOU },
      { id: '!c:x.org', by: '@evil:x.org' },
    ];
    expect(lines([room()], [YOU], invitations).slice(1, 3)).toEqual([
      '· invited to !b:x.org by @you:x.org, not joined: the bot joins when it runs: npm start',
      '· invited to !c:x.org by @evil:x.org, not joined: only invitations of operators are followed',
    ]);
  });

  it('is content with an invitation of the operator before the first start', () => {
    expect(lines([], [YOU], [{ id: '!b:x.org', by: YOU }])).toEqual([
      '· invited to !b:x.org by @you:x.org, not joined: the bot joins when it runs: npm start',
      '✓ operator @you:x.org has invited the bot',
    ]);
  });

  it('says how to begin when there is no room', () => {
    expect(lines([], [YOU])[0]).toBe(
      '✗ the bot is in no room: make one in Element without encryption and invite @nomos:x.org',
    );
  });

  it('shows a room name that tries to look like another line', () => {
    expect(lines([room({ name: 'x\n✓ forged' })], [YOU])[0]).toBe(
      '✓ room x\\u{a}✓ forged (!a:x.org) with @you:x.org',
    );
  });
});
