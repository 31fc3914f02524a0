import { expect, it } from 'vitest';
import { createPeople } from './people.ts';

const member = (state_key: string, membership: string) => ({
  type: 'm.room.member',
  state_key,
  content: { membership },
});

it.each([
  ['no bridge', [], false],
  ['a bridge', [{ type: 'm.bridge', state_key: 'x', content: { protocol: 'irc' } }], true],
  ['a bridge that has left', [{ type: 'm.bridge', state_key: 'x', content: {} }], false],
])('says who is in a room with %s', async (_what, more, bridge) => {
  const people = createPeople({
    doRequest: async () => [member('@op:hs', 'join'), member('@gone:hs', 'leave'), ...more],
  });
  expect(await people.company('!r')).toEqual({ members: ['@op:hs'], bridge });
});
