import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { classify } from '../classify.ts';
import { BASH_FACTS } from '../facts.ts';
import { literal } from '../value.ts';
import { ACCESS_USES } from './index.ts';
import { gainOfPath, gainOfWord, PLACES } from './paths.ts';
import { accessCall, shortened } from './use.ts';

/** The program and the words of an example, which is one simple command without expansions. */
function wordsOf(example: string): readonly string[] {
  const command = parse(example).commands[0]?.command;
  if (command?.type !== 'Command' || command.name === undefined) throw new Error(example);
  return [command.name, ...command.args].map((word) =>
    word.type === 'Word' ? word.value : word.text,
  );
}

describe('every row of the access table knows its own examples', () => {
  for (const use of ACCESS_USES) {
    it(`${use.programs[0]}: ${use.gains}`, () => {
      const gained = (example: string): boolean => {
        const [name = '', ...args] = wordsOf(example);
        return use.programs.includes(name) && use.when(accessCall(args.map(literal)));
      };
      expect(use.match.filter((example) => !gained(example))).toEqual([]);
      expect(use.notMatch.filter(gained)).toEqual([]);
      expect(use.match.length).toBeGreaterThan(0);
    });
  }
});

describe('places', () => {
  it.each(PLACES)('$example: $gains', ({ example, gains }) => {
    expect(gainOfPath(example)?.gains).toBe(gains);
    expect(gainOfPath(`/var/lib/lxc/101/rootfs${example}`)?.gains).toBe(gains);
  });

  it.each([
    '/etc/hosts',
    '/etc/nginx/nginx.conf',
    '/srv/etc/passwd.txt',
    '/root/.ssh/known_hosts',
    '/usr/local/bin/x',
    '/var/log/nginx/access.log',
    '/home/bob/notes',
  ])('%s gives nothing', (path) => {
    expect(gainOfPath(path)).toBeUndefined();
  });
});

describe('a word that names several files', () => {
  it.each([
    ['/etc/systemd/system/x.service', 'unit'],
    ['/etc/systemd/system/x /etc/systemd/system/y', 'unit'],
    ['/etc/systemd/system/x /etc/sudoers', 'other'],
    ['/etc/apt/keyrings/x /etc/systemd/system/y', 'other'],
    ['/mnt/etc/systemd/system/x', 'other'],
  ])('%s is access of the kind %s', (text, kind) => {
    expect(gainOfWord(literal(text), ['/'])).toMatchObject({ kind });
  });
});

describe('shortened', () => {
  it('fits every beginning from a length on', () => {
    const form = new RegExp(`^${shortened('hookscript', 2)}$`);
    const words = ['h', 'ho', 'hooks', 'hookscript', 'hookscripts', 'hoax'];
    expect(words.filter((text) => form.test(text))).toEqual(['ho', 'hooks', 'hookscript']);
  });
});

describe('the reason', () => {
  const reasons = (command: string): readonly string[] =>
    classify({ command, facts: BASH_FACTS })
      .parts.filter((part) => part.rule === 'access')
      .map((part) => part.why);

  it('names the key and the account', () => {
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtleWtleWtleWtleWtleWtleWtleWtleWtleWtleWtl';
    expect(reasons(`echo '${key} x@y' >> /root/.ssh/authorized_keys`)).toEqual([
      'lets the key SHA256:ETwbiHN2ecNKM7Ofuu9OhjRcyVpsv5TozgjRvmEKpIg log in as root, until it is removed',
    ]);
    expect(reasons('cat k >> /home/bob/.ssh/authorized_keys')).toEqual([
      'decides which keys may log in as bob',
    ]);
  });

  it('names the file and the guest', () => {
    expect(reasons('pct exec 101 -- tee /etc/sudoers.d/x')).toEqual([
      'decides who may act as root (/etc/sudoers.d/x) (in 101)',
    ]);
  });
});

describe('length', () => {
  it('is no way around the flag', () => {
    const padded = `docker run ${'-e A=b '.repeat(3000)}--privileged alpine`;
    expect(classify({ command: padded, facts: BASH_FACTS }).flags).toContain('access');
  });

  it.each([
    ['names', `docker stop ${'a '.repeat(20_000)}`],
    ['statements', `mysql -e "${'grant '.repeat(8000)}"`],
    ['paths', `tee /authelia${'/a'.repeat(20_000)}`],
    ['units', `systemctl start ${'a '.repeat(20_000)}`],
  ])('of %s costs little time', (_, command) => {
    const start = performance.now();
    expect(classify({ command, facts: BASH_FACTS }).risk).not.toBe('read_only');
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
