import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { doubts } from './distrust.ts';

const doubted = (source: string): boolean => doubts(parse(source), source).length > 0;

describe('distrust of the parser', () => {
  it.each(['ls 2<(evil)', 'echo a<(evil)b'])(
    'doubts %s, which hides a command in a plain word',
    (source) => {
      expect(doubted(source)).toBe(true);
    },
  );

  it.each([
    'ls -la /srv | grep "a b" > /dev/null 2>&1',
    'for i in 1 2; do echo "$i"; done # done',
    'if [ -f x ]; then ls; elif true; then :; else pwd; fi',
    'case $x in a|b) ls;; *) pwd;; esac',
    'echo "$(ls | wc -l)" `date`',
    'cat <<E\nhi $x\nE',
    'while read -r l; do echo "$l"; done < /etc/hosts',
    'diff <(ls a) <(ls b)',
    '[[ -f x && ! -d y ]] || (ls; pwd)',
    'time ls; ! ls; { ls; }',
    'df -h \\\n | head',
    "awk '{print $1}' f | sed 's/a|b/c/'",
  ])('has none about %s', (source) => {
    expect(doubts(parse(source), source)).toEqual([]);
  });
});
