import { describe, expect, it } from 'vitest';
import { BASH_FACTS } from './facts.ts';
import { splitByObject } from './split.ts';

const split = (command: string) => splitByObject(command, BASH_FACTS);

describe('a loop over literal words becomes one command for each', () => {
  it.each<[string, readonly string[]]>([
    ['for i in 135 136; do pct destroy $i; done', ['pct destroy 135', 'pct destroy 136']],
    [
      'for i in 135 136; do pct stop $i; pct destroy "$i" --purge; done',
      ['pct stop 135; pct destroy "135" --purge', 'pct stop 136; pct destroy "136" --purge'],
    ],
    [
      `for i in {135..137}\ndo\n  pct destroy \${i}\ndone`,
      ['pct destroy 135', 'pct destroy 136', 'pct destroy 137'],
    ],
    [
      "for d in a 'b'; do zfs destroy rpool/data/$d 2>/dev/null; done",
      ['zfs destroy rpool/data/a 2>/dev/null', 'zfs destroy rpool/data/b 2>/dev/null'],
    ],
    [
      `for v in db cache; do docker stop $v && docker volume rm \${v}_data; done`,
      [
        'docker stop db && docker volume rm db_data',
        'docker stop cache && docker volume rm cache_data',
      ],
    ],
    ['for i in 135 136; do pct destroy $i # not $i\ndone', ['pct destroy 135', 'pct destroy 136']],
  ])('%s', (command, parts) => {
    expect(split(command)).toEqual(parts);
  });
});

describe('what is not the same in single commands is left whole', () => {
  it.each([
    ['a single word', 'for i in 135; do pct destroy $i; done'],
    ['a pattern', 'for i in /srv/*; do rm -rf $i; done'],
    ['a substitution as list', 'for i in $(pct list); do pct destroy $i; done'],
    ['a substitution in the body', 'for i in 1 2; do pct destroy $(echo $i); done'],
    ['a computed name', `for i in 135 136; do pct destroy \${i%5}; done`],
    ['a changed directory', 'for i in a b; do cd $i; rm x; done'],
    ['a variable that lives on', 'for i in a b; do x=$i; rm /srv/$x; done'],
    ['a way out', 'for i in a b; do rm /srv/$i && break; done'],
    ['a file that is written', 'for i in a b; do rm -v /srv/$i >>/srv/log; done'],
    ['words that need quotes', "for i in 'a b' c; do rm -rf /srv/$i; done"],
    ['an option that looks like a value', 'for i in a "$x"; do rm -rf /srv/$i; done'],
    ['the variable as command', 'for i in reboot halt; do $i; done'],
    ['a file descriptor', 'for i in 1 2; do rm -rf /srv/x $i>/dev/null; done'],
    ['two objects a round', 'for i in a b; do rm -rf /srv/$i /opt/$i; done'],
    ['the same word twice', 'for i in 135 135; do pct destroy $i; done'],
    ['more behind the loop', 'for i in 135 136; do pct destroy $i; done; reboot'],
    ['a loop in the background', 'for i in 135 136; do pct destroy $i; done &'],
    ['a nested loop', 'for i in 1 2; do for j in 3 4; do pct destroy $i$j; done; done'],
    ['a loop that only looks', 'for i in 135 136; do pct status $i; done'],
    ['no loop', 'pct destroy 135'],
    ['a line that does not parse', 'for i in 135 136; do pct destroy $i'],
    ['too many rounds', 'for i in {1..40}; do pct destroy $i; done'],
  ])('%s', (_what, command) => {
    expect(split(command)).toBeUndefined();
  });

  it('leaves braces whole where the shell is not bash', () => {
    const loop = 'for i in {135..136}; do pct destroy $i; done';
    expect(splitByObject(loop, { shell: 'posix' })).toBeUndefined();
  });
});
