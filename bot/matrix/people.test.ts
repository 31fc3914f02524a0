import { expect, it } from 'vitest';
import { createPeople, localPart } from './people.ts';

const people = createPeople({
  doRequest: async () => ({
    joined: {
      '@op:oikos.test': { display_name: ' The Operator ', avatar_url: null },
      '@nameless:oikos.test': { display_name: null },
      '@odd:oikos.test': { display_name: 7 },
    },
  }),
  isRoomEncrypted: async () => false,
});

it('lists who is in a room, by name or by the local part of the id', async () => {
  expect(await people.joinedMembers('!r')).toEqual([
    { userId: '@op:oikos.test', displayName: 'The Operator' },
    { userId: '@nameless:oikos.test', displayName: 'nameless' },
    { userId: '@odd:oikos.test', displayName: 'odd' },
  ]);
});

it('names also who has left', async () => {
  expect(await people.displayName('!r', '@gone:oikos.test')).toBe('gone');
  expect(await people.displayName('!r', '@op:oikos.test')).toBe('The Operator');
});

it.each([
  ['@op:example.org', 'op'],
  ['@a:b:8448', 'a'],
  ['nonsense', 'nonsense'],
])('the local part of %s is %s', (userId, local) => {
  expect(localPart(userId)).toBe(local);
});
