import { describe, expect, it } from 'vitest';
import { fingerprint } from './hosts.ts';
import { type KnownKey, knownKey } from './known-hosts.ts';

/** A public key as it travels: its type with its length before it, then something. */
function blob(type: string, more: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type), Buffer.from(more)]);
}
const line = (names: string, type = 'ssh-ed25519', more = 'a') =>
  `${names} ${type} ${blob(type, more).toString('base64')}`;
const known = (type = 'ssh-ed25519', more = 'a'): KnownKey => ({
  kind: 'known',
  fingerprint: fingerprint(blob(type, more)),
});
const unknown: KnownKey = { kind: 'unknown' };

/** As `ssh-keygen -H` wrote them: of pve1, and of [pve1]:2222. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKmnwzFLQgLe1ch6VTkFj6xeeKjSxU6vKbukuCdoZ65e';
const HASHED = `|1|6vvh6uZ7LTfoBFOcSjSBtxblIXU=|sbGCptqGAVCFSJwwoYE+C0vN5bA= ${KEY}`;
const HASHED_PORT = `|1|7tAs+rMOT/eRy0XHFOKFRZGdJL8=|fgYAgdJMvS0wsbv2St6GGZXWJxc= ${KEY}`;
const HASHED_KEY: KnownKey = {
  kind: 'known',
  fingerprint: 'SHA256:A8GmjEokOvRyQNUknyMtDrB5IbIkSgBGwFx2zV8N9x4',
};

describe('knownKey', () => {
  it.each<[string, string, string, number, KnownKey]>([
    ['a plain name', line('pve1'), 'pve1', 22, known()],
    ['a name in capitals', line('PVE1'), 'pve1', 22, known()],
    ['an address', line('pve1,192.0.2.10'), '192.0.2.10', 22, known()],
    ['IPv6', line('2001:db8::1'), '2001:db8::1', 22, known()],
    ['another name', line('pve10'), 'pve1', 22, unknown],
    ['a port', line('[pve1]:2222'), 'pve1', 2222, known()],
    ['another port', line('[pve1]:2222'), 'pve1', 22, unknown],
    ['no port where there is one', line('pve1'), 'pve1', 2222, unknown],
    ['a pattern', line('*.example.org'), 'pve1.example.org', 22, known()],
    ['a pattern whose dot is a dot', line('*.example.org'), 'pve1xexample.org', 22, unknown],
    ['one character', line('pve?'), 'pve1', 22, known()],
    ['a negation', line('*,!pve1'), 'pve1', 22, unknown],
    ['a negation of another', line('*,!pve2'), 'pve1', 22, known()],
    ['a comment', `# ${line('pve1')}`, 'pve1', 22, unknown],
    ['words behind the key', `${line('pve1')} root@pve1`, 'pve1', 22, known()],
    ['tabs and spaces', `  ${line('pve1').replaceAll(' ', '\t ')}`, 'pve1', 22, known()],
    ['a certificate authority', `@cert-authority ${line('pve1')}`, 'pve1', 22, unknown],
    ['an unknown marker', `@trusted ${line('pve1')}`, 'pve1', 22, unknown],
    ['a type that we refuse', line('pve1', 'ssh-dss'), 'pve1', 22, unknown],
    [
      'a type that the key is not of',
      `pve1 ssh-ed25519 ${blob('ssh-dss', 'a').toString('base64')}`,
      'pve1',
      22,
      unknown,
    ],
    ['no key at all', 'pve1 ssh-ed25519', 'pve1', 22, unknown],
    ['an empty file', '', 'pve1', 22, unknown],
    ['a hashed name', HASHED, 'pve1', 22, HASHED_KEY],
    ['a hashed name in capitals', HASHED, 'PVE1', 22, HASHED_KEY],
    ['the hash of another name', HASHED, 'pve2', 22, unknown],
    ['the hash of a name, not of its port', HASHED, 'pve1', 2222, unknown],
    ['a hashed port', HASHED_PORT, 'pve1', 2222, HASHED_KEY],
    ['a hash of another version', HASHED.replace('|1|', '|2|'), 'pve1', 22, unknown],
    ['a hash of nothing', '|1|', 'pve1', 22, unknown],
    [
      'several kinds: the one that a host shows first',
      [line('pve1', 'ssh-rsa'), line('pve1', 'ecdsa-sha2-nistp256'), line('pve1')].join('\n'),
      'pve1',
      22,
      known(),
    ],
    [
      'a revoked key beside a good one',
      [`@revoked ${line('*', 'ssh-ed25519')}`, line('pve1'), line('pve1', 'ssh-rsa')].join('\n'),
      'pve1',
      22,
      known('ssh-rsa'),
    ],
    [
      'a revoked key alone',
      [`@revoked ${line('pve1')}`, line('pve1')].join('\n'),
      'pve1',
      22,
      { kind: 'revoked' },
    ],
    ['a revoked key of others', `@revoked ${line('*')}`, 'pve1', 22, unknown],
  ])('%s', (_what, text, address, port, expected) => {
    expect(knownKey(text, address, port)).toEqual(expected);
  });
});
