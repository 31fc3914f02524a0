import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { PROGRAMS } from './commands/index.ts';
import { BASH_FACTS } from './facts.ts';
import { HINTS } from './hints.ts';
import { TRAITS } from './traits.ts';

const hint = (command: string): string | undefined => classify({ command, facts: BASH_FACTS }).hint;

describe('coverage', () => {
  it('knows at least 340 programs by rules, 340 of them with a harmless use', () => {
    const names = (programs: typeof PROGRAMS) =>
      programs.flatMap((program) => program.names).length;
    const harmless = PROGRAMS.filter(({ rules }) => rules.some((r) => r.class === 'read_only'));
    expect(names(PROGRAMS)).toBeGreaterThanOrEqual(640);
    expect(names(harmless)).toBeGreaterThanOrEqual(340);
  });
});

describe('a hint says how a small change makes it a look', () => {
  it.each([
    ['top', 'Instead: top -b -n 1'],
    ['htop', 'Instead: top -b -n 1'],
    ['less /etc/hosts', 'Instead: head -n 200 FILE'],
    ['ip monitor', 'Instead: ip -br a'],
    ['vim /etc/hosts', 'Instead: cat FILE'],
    ['crontab -e', 'Instead: crontab -l'],
    ['visudo', 'Instead: visudo -c'],
    ['apt-get upgrade', 'Instead: apt-get -s upgrade'],
    ['apt upgrade', 'Instead: apt list --upgradable'],
    ['watch df -h', 'Instead: the command itself, once'],
    ['tcpdump -ni any', 'Instead: ss -tunap'],
    ['systemctl edit nginx', 'Instead: systemctl cat UNIT'],
    ['docker run --rm alpine ls', 'Instead: docker exec NAME COMMAND in a running container'],
    ["sqlite3 /srv/a.db '.tables'", "Instead: sqlite3 -readonly FILE '.tables'"],
    ['pct enter 101', 'Instead: pct exec ID -- COMMAND'],
    ['sed -i s/a/b/ /etc/hosts', 'Instead: sed s/a/b/ FILE without -i shows the outcome'],
    ['sysctl -w vm.swappiness=10', 'Instead: sysctl vm.swappiness'],
    ['hostnamectl set-hostname x', 'Instead: hostnamectl'],
    ['docker compose config', 'Instead: docker compose config --services'],
    ['git -c core.pager=cat log', 'Instead: git log -n 20 without options before the verb'],
  ])('%s', (command, said) => {
    expect(hint(command)).toBe(said);
  });

  it('bounds a look that never ends', () => {
    expect(hint('tail -f /var/log/syslog')).toBe('Instead: tail -n 200 FILE');
  });

  it('is not given for other looks', () => {
    expect([hint('df -h'), hint('journalctl -n 5')]).toEqual([undefined, undefined]);
  });
});

describe('every hint that is a command', () => {
  /** What stands for something, filled in. */
  const FILLED: Readonly<Record<string, string>> = {
    FILE: '/etc/hosts',
    FOLDER: '/srv',
    NAME: 'web',
    ID: '101',
    COMMAND: 'uptime',
    UNIT: 'nginx',
    HOST: '10.0.0.5',
    PORT: '443',
    URL: 'http://localhost/',
    PATH: '/nodes',
    DEVICE: '/dev/sda',
    POD: 'web-0',
    TABLE: 'jobs',
    PID: '1',
    TOPIC: 'x',
    USER: 'bob',
  };
  const PROSE =
    / (without|with the same|whose|on that|in a running|then|struck)\b|^the |: | shows | or the /;
  const given = [
    ...HINTS.map(([, , instead]) => instead),
    ...TRAITS.flatMap(({ bounded }) => bounded ?? []),
    ...PROGRAMS.flatMap(({ rules }) => rules.flatMap(({ safer }) => safer ?? [])),
  ];
  const commands = [...new Set(given)].filter((hint) => !PROSE.test(hint));

  it.each(commands)('is a look that ends: %s', (hint) => {
    const command = hint.replace(/\b[A-Z]{2,}\b/g, (word) => FILLED[word] ?? word);
    const { risk, flags } = classify({ command, facts: BASH_FACTS });
    expect({ risk, unbounded: flags.includes('unbounded') }).toEqual({
      risk: 'read_only',
      unbounded: false,
    });
  });

  it('are most of them', () => {
    expect(commands.length).toBeGreaterThan(80);
  });
});
