import { expect, it } from 'vitest';
import type { FleetHost } from './fleet.ts';
import { withKnownHosts } from './pinned-keys.ts';

const host: FleetHost = {
  slug: 'host:strong',
  address: '192.0.2.10',
  port: 22,
  user: 'root',
  keyFile: '/k',
  passphraseFile: undefined,
  hostKey: undefined,
  knownHosts: '/known',
  jump: undefined,
  site: 'home',
  sudo: false,
};
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKmnwzFLQgLe1ch6VTkFj6xeeKjSxU6vKbukuCdoZ65e';
const KEYS = 'SHA256:A8GmjEokOvRyQNUknyMtDrB5IbIkSgBGwFx2zV8N9x4';
const pinned = (text: string, one = host) =>
  withKnownHosts({ hosts: [one], guests: [] }, () => text);

it('pins the key of the file, and leaves a host without such a file as it is', () => {
  const fixed = { ...host, knownHosts: undefined, hostKey: 'SHA256:x' };
  expect(pinned(`192.0.2.10 ${KEY}`)).toMatchObject({ fleet: { hosts: [{ hostKey: KEYS }] } });
  expect(pinned(`192.0.2.10 ${KEY}`, fixed)).toMatchObject({ fleet: { hosts: [fixed] } });
});

it('pins nothing for a host that the file does not know', () => {
  expect(pinned(`192.0.2.11 ${KEY}`)).toMatchObject({
    ok: true,
    fleet: { hosts: [{ hostKey: undefined }] },
  });
});

it('is refused with a key that was revoked, and with a file that cannot be read', () => {
  expect(pinned(`192.0.2.10 ${KEY}\n@revoked * ${KEY}`)).toEqual({
    ok: false,
    problems: ['/known calls every key of host:strong revoked'],
  });
  const nothing = () => {
    throw new Error('ENOENT');
  };
  expect(withKnownHosts({ hosts: [host], guests: [] }, nothing)).toEqual({
    ok: false,
    problems: ['known_hosts of host:strong cannot be read: ENOENT'],
  });
});
