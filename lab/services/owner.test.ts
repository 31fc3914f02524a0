import { expect, it } from 'vitest';
import { unprivilegedOwner } from './owner.ts';

const nobody = 'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin';
const postgres = 'postgres:x:101:104::/var/lib/postgresql:/bin/bash';

it.each([
  ['an ordinary user keeps its own identity', 1000, `${nobody}\n${postgres}`, null],
  [
    'root becomes postgres where that user exists',
    0,
    `${nobody}\n${postgres}`,
    { uid: 101, gid: 104 },
  ],
  [
    'root becomes nobody elsewhere',
    0,
    `root:x:0:0::/root:/bin/sh\n${nobody}`,
    { uid: 65_534, gid: 65_533 },
  ],
  [
    'a postgres user that is root is not taken',
    0,
    `postgres:x:0:0::/:/bin/sh\n${nobody}`,
    { uid: 65_534, gid: 65_533 },
  ],
  ['an empty passwd still yields somebody harmless', 0, '', { uid: 65_534, gid: 65_534 }],
])('%s', (_claim, uid, passwd, expected) => {
  expect(unprivilegedOwner(uid, passwd)).toEqual(expected);
});
