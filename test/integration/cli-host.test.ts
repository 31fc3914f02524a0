import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkLine } from '../../cli/check.ts';
import { type AddHost, addHost } from '../../cli/host/add.ts';
import { checkHosts } from '../../cli/host/check.ts';
import { parseFleet } from '../../daemon/fleet.ts';
import { type LabHost, startLabHost } from '../../lab/host/lab-host.ts';
import { startPlainSshd } from '../support/plain-sshd.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';

let dir: string;
let lab: LabHost;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-cli-'));
  lab = await startLabHost({ dir: join(dir, 'lab'), name: 'lab' });
});

afterAll(async () => {
  await lab?.stop();
  rmSync(dir, { recursive: true, force: true });
});

let files = 0;
const newFile = () => {
  files += 1;
  return join(dir, `fleet-${files}.yaml`);
};

function asking(more: Partial<AddHost> = {}): AddHost {
  return {
    typed: `root@127.0.0.1:${lab.port}`,
    wishes: { slug: 'lab', keyFile: lab.privateKeyPath, site: 'home', sudo: false },
    fleetFile: newFile(),
    connectMs: 5_000,
    fingerprint: undefined,
    yes: false,
    ...more,
  };
}

const check = async (fleetFile: string, slug?: string) =>
  (
    await checkHosts({
      fleetFile,
      connectMs: 5_000,
      site: 'home',
      ...(slug !== undefined && { slug }),
    })
  ).map(checkLine);

describe('oikos host add', () => {
  it('shows the key, tests the host and writes it with its containers', async () => {
    const ask = asking();
    const terminal = scriptedTerminal(['yes', 'yes']);
    expect(await addHost(ask, { terminal })).toBe(true);
    expect(terminal.lines).toEqual([
      `host:lab shows the ssh-ed25519 key ${lab.hostKeyFingerprint}`,
      "Compare it with what this prints on the host's own console: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
      'Is it the same? (yes, no, or paste the fingerprint)',
      `✓ host:lab answers, and its key is the pinned one (ssh-ed25519 ${lab.hostKeyFingerprint})`,
      `✓ login as root with ${lab.privateKeyPath}`,
      '✓ bash',
      '✓ root',
      '✓ Proxmox node lab: 5 guests (pct exec knows --keep-env)',
      '✓ lxc:web: 101 (web)',
      '✓ lxc:dns: 102 (dns)',
      '✓ lxc:db: 110 (db)',
      '✓ lxc:web-old: 135 (web-old)',
      '✓ lxc:scratch: 140 (scratch)',
      `Write host:lab and 5 guests into ${ask.fleetFile}? (yes or no)`,
      `✓ host:lab and 5 guests are in ${ask.fleetFile}; the daemon reads it at its start`,
    ]);
    expect(statSync(ask.fleetFile).mode & 0o777).toBe(0o600);
    expect(parseFleet(readFileSync(ask.fleetFile, 'utf8'))).toMatchObject({
      ok: true,
      fleet: {
        hosts: [{ slug: 'host:lab', port: lab.port, hostKey: lab.hostKeyFingerprint }],
        guests: [{ slug: 'lxc:web', vmid: 101, host: 'host:lab' }, {}, {}, {}, {}],
      },
    });
    expect(await check(ask.fleetFile, 'lab')).toContain('✓ lxc:scratch (140) is there, stopped');
  });

  it('needs no person when the fingerprint is given, and keeps what the file said before', async () => {
    const ask = asking({ fingerprint: lab.hostKeyFingerprint });
    const mine = '# my machines\nhosts: [] # none yet\n';
    writeFileSync(ask.fleetFile, mine);
    expect(await addHost(ask, { terminal: scriptedTerminal() })).toBe(true);
    expect(readFileSync(ask.fleetFile, 'utf8')).toMatch(/^# my machines\n/);
  });

  const nothingWritten = async (ask: AddHost, answers?: readonly string[]) => {
    const terminal = scriptedTerminal(answers);
    expect(await addHost(ask, { terminal })).toBe(false);
    expect(terminal.lines.at(-1)).toBe('Nothing was written.');
    expect(statSync(ask.fleetFile, { throwIfNoEntry: false })).toBeUndefined();
    return terminal.lines.at(-2) ?? '';
  };

  it('does not log in when the key is not confirmed', async () => {
    expect(await nothingWritten(asking(), ['no'])).toBe('✗ the host key was not confirmed');
    expect(await nothingWritten(asking(), [''])).toBe('✗ the host key was not confirmed');
  });

  it('does not accept a key by --yes, and nobody accepts one without a terminal', async () => {
    expect(await nothingWritten(asking({ yes: true }))).toContain('nobody is here to compare it');
  });

  it('refuses another key than the expected one', async () => {
    const fingerprint = `SHA256:${'A'.repeat(43)}`;
    expect(await nothingWritten(asking({ fingerprint }))).toContain(
      `, not ${fingerprint}: on the host`,
    );
  });

  it.each([
    ['no such key file', 'nokey', 'make one: ssh-keygen -t ed25519'],
    ['a key that is none', 'junk', 'give the private key (not the .pub file)'],
  ])('says what to do about %s', async (_case, name, todo) => {
    writeFileSync(join(dir, 'junk'), 'not a key');
    const wishes = { ...asking().wishes, keyFile: join(dir, name) };
    expect(await nothingWritten(asking({ wishes }))).toContain(todo);
  });

  it('says what to do when the host does not know the key', async () => {
    const other = mkdtempSync(join(dir, 'other-'));
    const { makeKey } = await import('../../lab/host/keys.ts');
    makeKey(join(other, 'key'), 'other');
    const wishes = { ...asking().wishes, keyFile: join(other, 'key') };
    const terminal = scriptedTerminal(['yes']);
    expect(await addHost(asking({ wishes }), { terminal })).toBe(false);
    expect(terminal.lines).toContainEqual(
      `✗ host:lab refuses the key ${join(other, 'key')} for root: put ${join(other, 'key')}.pub into ~root/.ssh/authorized_keys there: ssh-copy-id -i ${join(other, 'key')}.pub -p ${lab.port} root@127.0.0.1`,
    );
  });

  it('says that nothing listens there', async () => {
    expect(await nothingWritten(asking({ typed: 'root@127.0.0.1:1' }))).toBe(
      '✗ host:lab refused the connection: is sshd running?: try: ssh -p 1 root@127.0.0.1',
    );
  });

  it('takes the key that a known_hosts file has, and none that it has not', async () => {
    const knownHosts = join(dir, 'known-other');
    const scanned = spawnSync('ssh-keyscan', ['-t', 'ed25519', '-p', `${lab.port}`, '127.0.0.1']);
    writeFileSync(knownHosts, `${scanned.stdout}`.replaceAll('127.0.0.1', '127.0.0.2'));
    expect(await nothingWritten(asking({ knownHosts }))).toContain(
      `${knownHosts} does not know 127.0.0.1, port ${lab.port}: leave --known-hosts out`,
    );
    expect(await nothingWritten(asking({ knownHosts: join(dir, 'nowhere') }))).toContain(
      'known_hosts of host:lab cannot be read: ENOENT',
    );
  });

  it('adds a plain host that known_hosts has, and a second one behind it', async () => {
    const sshd = await startPlainSshd(mkdtempSync(join(dir, 'plain-')));
    onTestFinished(sshd.cut);
    const knownHosts = join(dir, 'known');
    const scanned = spawnSync('ssh-keyscan', ['-H', '-p', `${sshd.port}`, '127.0.0.1']);
    writeFileSync(knownHosts, scanned.stdout);
    const ask = asking({ typed: `${sshd.user}@127.0.0.1:${sshd.port}`, knownHosts });
    const plain = scriptedTerminal();
    const first = { ...ask.wishes, slug: 'door', keyFile: sshd.keyFile };
    expect(await addHost({ ...ask, wishes: first }, { terminal: plain })).toBe(true);
    expect(plain.lines).toContain('✓ a plain host: there is no pct, so no containers');

    const behind = asking({ fleetFile: ask.fleetFile, fingerprint: lab.hostKeyFingerprint });
    const wishes = { ...behind.wishes, jump: 'door' };
    expect(await addHost({ ...behind, wishes }, { terminal: scriptedTerminal() })).toBe(true);
    expect(readFileSync(ask.fleetFile, 'utf8')).toContain('    jump: host:door\n');
    expect((await check(ask.fleetFile)).filter((line) => line.startsWith('✗'))).toEqual([]);

    sshd.cut();
    const [line] = await check(ask.fleetFile, 'lab');
    expect(line).toBe(
      '✗ the way to host:lab is closed: host:door refused the connection: is sshd running?: oikos host check door',
    );
  });

  it('refuses a host that is there, and says plainly when its key has changed', async () => {
    const ask = asking({ fingerprint: lab.hostKeyFingerprint });
    await addHost(ask, { terminal: scriptedTerminal() });
    const before = readFileSync(ask.fleetFile, 'utf8');

    const same = scriptedTerminal(['yes', 'yes']);
    expect(await addHost(ask, { terminal: same })).toBe(false);
    expect(same.lines[0]).toBe(`✗ host:lab is in ${ask.fleetFile} already: oikos host check lab`);

    await lab.changeHostKey();
    const changed = scriptedTerminal(['yes', 'yes']);
    expect(await addHost(ask, { terminal: changed })).toBe(false);
    expect(changed.lines[0]).toMatch(
      /^✗ THE HOST KEY CHANGED: host:lab shows the host key SHA256:/,
    );
    expect(readFileSync(ask.fleetFile, 'utf8')).toBe(before);

    const [first, second] = await check(ask.fleetFile);
    expect(first).toBe('✓ host:lab answers');
    expect(second).toMatch(/^✗ THE HOST KEY CHANGED: /);
  });
});

describe('oikos host check', () => {
  it('compares the guests of the file with those that are there', async () => {
    const ask = asking({ fingerprint: lab.hostKeyFingerprint });
    await addHost(ask, { terminal: scriptedTerminal() });
    const text = readFileSync(ask.fleetFile, 'utf8')
      .replace('vmid: 101', 'vmid: 901')
      .replace('name: dns', 'name: pihole');
    writeFileSync(ask.fleetFile, text);
    const lines = await check(ask.fleetFile);
    expect(lines).toContain(
      '✗ lxc:web is listed as lxc 901, which is not there: correct fleet.yaml',
    );
    expect(lines).toContain(
      '✗ lxc:dns (102) is named dns, not pihole: nothing will be changed on it until fleet.yaml says so too',
    );
    expect(lines).toContain('· CT 101 (web) is not in fleet.yaml: Oikos does not serve it');
  });

  it('names the hosts that there are when one is asked for that is not', async () => {
    const ask = asking({ fingerprint: lab.hostKeyFingerprint });
    await addHost(ask, { terminal: scriptedTerminal() });
    expect(await check(ask.fleetFile, 'nowhere')).toEqual([
      `✗ host:nowhere is not in ${ask.fleetFile}: there are: host:lab`,
    ]);
  });

  it('tells problems of the file with their line', async () => {
    const path = newFile();
    writeFileSync(path, 'hosts:\n  - slug: x\n    address: y\n');
    expect(await check(path)).toEqual([
      expect.stringMatching(/^✗ .*, line 2: hosts\[0\] host:x needs either key_file or agent$/),
    ]);
  });
});
