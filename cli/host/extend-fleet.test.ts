import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FleetGuest, type FleetHost, parseFleet } from '../../daemon/fleet.ts';
import { extendFleet } from './extend-fleet.ts';

const EXAMPLE = readFileSync(new URL('../../fleet.example.yaml', import.meta.url), 'utf8');

const host: FleetHost = {
  slug: 'host:pve1',
  address: 'pve1.lan',
  port: 22,
  user: 'root',
  keyFile: '/etc/oikos/ssh/id_ed25519',
  passphraseFile: undefined,
  hostKey: `SHA256:${'C'.repeat(43)}`,
  jump: undefined,
  site: 'home',
  sudo: false,
};
const guest: FleetGuest = {
  slug: 'lxc:web',
  host: 'host:pve1',
  vmid: 101,
  kind: 'lxc',
  name: 'web',
};

function fleetOf(text: string) {
  const parsed = parseFleet(text);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.fleet;
}

describe('extendFleet', () => {
  it('begins a new file', () => {
    expect(extendFleet('', { host, guests: [guest] })).toBe(
      `# Which machines Oikos serves; only the daemon reads it. See fleet.example.yaml.
hosts:
  - slug: host:pve1
    address: pve1.lan
    user: root
    key_file: /etc/oikos/ssh/id_ed25519
    host_key: SHA256:${'C'.repeat(43)}
guests:
  - slug: lxc:web
    host: pve1
    vmid: 101
    kind: lxc
    name: web
`,
    );
  });

  it('keeps every line of a file with comments, in its order', () => {
    const after = extendFleet(EXAMPLE, { host, guests: [guest] }).split('\n');
    let at = -1;
    for (const line of EXAMPLE.split('\n').filter((text) => text.trim() !== '')) {
      const next = after.indexOf(line, at + 1);
      expect(next, `"${line}" is gone or moved`).toBeGreaterThan(at);
      at = next;
    }
    const before = fleetOf(EXAMPLE);
    expect(fleetOf(after.join('\n'))).toEqual({
      hosts: [...before.hosts, host],
      guests: [...before.guests, guest],
    });
  });

  it('writes whatever is not the default', () => {
    const unusual: FleetHost = {
      ...host,
      slug: 'host:far',
      port: 2222,
      user: 'oikos',
      passphraseFile: '/run/secrets/passphrase',
      jump: 'host:pve1',
      site: 'cabin',
      sudo: true,
    };
    const first = extendFleet('', { host, guests: [] });
    expect(fleetOf(extendFleet(first, { host: unusual, guests: [] })).hosts).toEqual([
      host,
      unusual,
    ]);
  });

  it.each([
    ['lists without anything in them', 'hosts:\nguests:\n'],
    ['no list at all', '# mine\n'],
    ['entries at the margin', 'hosts:\n- slug: a\n  address: a\n  key_file: k\n'],
    ['JSON, which is YAML', '{"hosts":[{"slug":"a","address":"a","key_file":"k"}]}'],
  ])('extends a file with %s', (_case, text) => {
    const fleet = fleetOf(extendFleet(text, { host, guests: [guest] }));
    expect(fleet.hosts.at(-1)).toEqual(host);
    expect(fleet.guests).toEqual([guest]);
  });

  it('leaves entries at the margin there', () => {
    const text = 'hosts:\n- slug: a\n  address: a\n  key_file: k\n';
    expect(extendFleet(text, { host, guests: [] })).toContain(text);
  });
});
