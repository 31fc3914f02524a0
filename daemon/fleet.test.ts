import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseFleet } from './fleet.ts';

const good = `hosts:
  - slug: strong
    address: 192.0.2.10
    key_file: /etc/oikos/id_ed25519
guests:
  - slug: lxc:caddy
    host: strong
    vmid: 135
    name: caddy
`;

describe('fleet.yaml', () => {
  it('is read with its defaults, hosts written with their prefix', () => {
    const parsed = parseFleet(good);
    if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
    expect(parsed.fleet.hosts).toMatchObject([
      { slug: 'host:strong', port: 22, user: 'root', site: 'home', sudo: false },
    ]);
    expect(parsed.fleet.guests).toEqual([
      { slug: 'lxc:caddy', host: 'host:strong', vmid: 135, kind: 'lxc', name: 'caddy' },
    ]);
  });

  const aliases = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...[...'bcdefg'].map((name, at) => `${name}: &${name} [${`*${'abcdef'[at]}, `.repeat(10)}]`),
  ].join('\n');

  it.each([
    ['a vmid that is no number', good.replace('135', 'abc'), /^line 8: guests\[0\]\.vmid /],
    ['a missing address', good.replace(/ {4}address.*\n/, ''), /^line 2: hosts\[0\]\.address /],
    ['a mistyped key', good.replace('key_file', 'keyfile'), /^line 2: hosts\[0\]/],
    [
      'an unknown host',
      good.replace('host: strong', 'host: weak'),
      /^line 7: guests\[0\]\.host host:weak is not among the hosts$/,
    ],
    ['a kind against its slug', `${good}    kind: vm\n`, /kind is vm, but the slug is lxc:caddy$/],
    [
      'a fingerprint of another form',
      good.replace('guests:', '    host_key: MD5:aa\nguests:'),
      /^line 5: hosts\[0\]\.host_key must be a fingerprint/,
    ],
    [
      'a jump that leads back',
      good.replace('guests:', '    jump: strong\nguests:'),
      /^line 5: hosts\[0\]\.jump host:strong is not in the file or leads back here$/,
    ],
    [
      'no way to log in',
      good.replace(/ {4}key_file.*\n/, ''),
      /^line 2: hosts\[0\] host:strong needs either key_file or agent$/,
    ],
    [
      'two ways to log in',
      good.replace('guests:', '    agent: SSH_AUTH_SOCK\nguests:'),
      /hosts\[0\] host:strong needs either key_file or agent$/,
    ],
    [
      'an agent of another form',
      good.replace('guests:', '    agent: yes please\nguests:'),
      /^line 5: hosts\[0\]\.agent must be SSH_AUTH_SOCK, or the path of an agent socket$/,
    ],
    [
      'two sources of the host key',
      good.replace(
        'guests:',
        `    known_hosts: /k\n    host_key: SHA256:${'A'.repeat(43)}\nguests:`,
      ),
      /hosts\[0\] host:strong has host_key and known_hosts: one of them/,
    ],
    ['broken yaml', 'hosts: [', /^line 1: /],
    ['an alias of nothing', 'hosts: *nowhere', /^line 1: Unresolved alias/],
    ['too many aliases', aliases, /^line 1: Excessive alias count/],
    ['no mapping at all', '- a', /^line 1: Invalid input/],
  ])('says where the mistake is: %s', (_claim, text, problem) => {
    const parsed = parseFleet(text);
    if (parsed.ok) throw new Error('accepted');
    expect(parsed.problems[0]).toMatch(problem);
  });

  it('refuses one guest listed under two names', () => {
    const parsed = parseFleet(`${good}  - { slug: lxc:other, host: strong, vmid: 135, name: x }\n`);
    expect(parsed).toMatchObject({ ok: false });
  });

  it('accepts the example that we ship', () => {
    const example = readFileSync(new URL('../fleet.example.yaml', import.meta.url), 'utf8');
    expect(parseFleet(example)).toMatchObject({ ok: true });
  });
});
