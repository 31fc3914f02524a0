import { describe, expect, it } from 'vitest';
import type { FleetGuest, FleetHost } from '../../daemon/fleet.ts';
import type { TroubleKind } from '../../daemon/ssh/hosts.ts';
import { checkLine } from '../check.ts';
import { guestChecks, hostChecks } from './host-checks.ts';
import type { HostFacts, Shown } from './look.ts';

const host: FleetHost = {
  slug: 'host:pve1',
  address: 'pve1',
  port: 22,
  user: 'oikos',
  keyFile: '/k',
  passphraseFile: undefined,
  hostKey: 'SHA256:x',
  jump: undefined,
  site: 'home',
  sudo: false,
};
const facts: HostFacts = {
  uid: 0,
  node: 'pve1',
  bash: true,
  sudo: undefined,
  pct: true,
  keepEnv: true,
  guests: [],
};
const key = { type: 'ssh-ed25519', fingerprint: 'SHA256:x' };
const shown: Shown = { key, trouble: undefined, facts, reason: undefined };

const withFacts = (more: Partial<HostFacts>, its: Partial<FleetHost> = {}) =>
  hostChecks({ ...host, ...its }, { ...shown, facts: { ...facts, ...more } }).map(checkLine);

describe('hostChecks', () => {
  it('is content with a Proxmox host and root', () => {
    expect(withFacts({})).toEqual([
      '✓ host:pve1 answers, and its key is the pinned one (ssh-ed25519 SHA256:x)',
      '✓ login as oikos with /k',
      '✓ bash',
      '✓ root',
      '✓ Proxmox node pve1: 0 guests (pct exec knows --keep-env)',
    ]);
  });

  it.each<[string, Partial<HostFacts>, Partial<FleetHost>, string]>([
    ['a plain host', { pct: false, guests: undefined }, {}, '✓ a plain host: there is no pct'],
    ['no bash', { bash: false }, {}, '· no /bin/bash: commands are judged and run as POSIX sh'],
    ['an old pct', { keepEnv: false }, {}, 'pct exec is too old for --keep-env'],
    ['no list of guests', { guests: undefined }, {}, '✗ pvesh gives no list of guests'],
    ['sudo in use', { sudo: true }, { sudo: true }, '✓ root by sudo -n as oikos'],
    [
      'sudo not in use',
      { uid: 1000, sudo: true },
      {},
      '· oikos is not root, and sudo -n works: with --sudo',
    ],
    ['no sudo', { uid: 1000, sudo: false }, {}, '· oikos is not root and may not use sudo -n'],
  ])('tells %s', (_case, more, its, part) => {
    expect(withFacts(more, its).join('\n')).toContain(part);
  });

  it.each<[string, Partial<FleetHost>, string]>([
    [
      'the host said: sudo: a password is required',
      { sudo: true },
      "✗ sudo -n does not work for oikos (the host said: sudo: a password is required): allow it on the host: echo 'oikos ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/oikos",
    ],
    ['the host has no setsid', {}, '✗ the host has no setsid: install util-linux on the host'],
    [
      'its shell did not answer',
      {},
      '✗ no command can be started on host:pve1: its shell did not answer',
    ],
  ])('says what to do when %s', (reason, its, line) => {
    const seen = { ...shown, facts: undefined, reason };
    expect(
      hostChecks({ ...host, ...its }, seen)
        .map(checkLine)
        .at(-1),
    ).toBe(line);
  });

  it.each<[TroubleKind, string, string]>([
    [
      'changed_key',
      'it shows another',
      '✗ THE HOST KEY CHANGED: it shows another: if you reinstalled it',
    ],
    [
      'unknown_key',
      'not pinned',
      '✗ not pinned: on the host: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
    ],
    ['refused_login', '', '✗ host:pve1 refuses the key /k for oikos: put /k.pub into'],
    ['unusable_key', 'ENOENT: no such file', "make one: ssh-keygen -t ed25519 -N '' -f /k"],
    ['unusable_key', 'EACCES: permission denied', 'let this user read it: chown or chmod /k'],
    ['unusable_key', 'it has a passphrase', 'name it with --passphrase-file'],
    ['unusable_key', 'Unsupported key format', 'give the private key (not the .pub file)'],
    ['timeout', 'no answer', '✗ no answer: try: ssh -p 22 oikos@pve1'],
    ['no_channel', 'no channel', '✗ no channel'],
  ])('says what to do about %s (%s)', (kind, sentence, part) => {
    const seen = { ...shown, facts: undefined, trouble: { kind, sentence } };
    expect(hostChecks(host, seen).map(checkLine).at(-1)).toContain(part);
  });
});

describe('guestChecks', () => {
  const listed: FleetGuest = {
    slug: 'lxc:web',
    host: 'host:pve1',
    vmid: 101,
    kind: 'lxc',
    name: 'web',
  };
  const there = { kind: 'lxc' as const, vmid: 101, node: 'pve1', name: 'web', status: 'running' };

  it.each([
    ['is there', there, '✓ lxc:web (101) is there, running'],
    [
      'is a VM',
      { ...there, kind: 'vm' as const },
      '✗ lxc:web is listed as lxc 101, which is not there',
    ],
    ['has moved', { ...there, node: 'pve2' }, '✗ lxc:web (101) is on node pve2 now'],
    ['has another name', { ...there, name: 'db' }, '✗ lxc:web (101) is named db, not web'],
    ['is gone', { ...there, vmid: 102 }, '✗ lxc:web is listed as lxc 101, which is not there'],
  ])('says that a guest %s', (_case, guest, line) => {
    const lines = guestChecks([listed], { ...facts, guests: [guest] }).map(checkLine);
    expect(lines[0]).toContain(line);
  });

  it('names what is there and not listed, on this node only', () => {
    const other = { ...there, vmid: 300, node: 'pve2', name: 'far' };
    const lines = guestChecks([], { ...facts, guests: [there, other] }).map(checkLine);
    expect(lines).toEqual(['· CT 101 (web) is not in fleet.yaml: Oikos does not serve it']);
  });
});
