import { describe, expect, it } from 'vitest';
import { classify } from '../shared/gate/classify.ts';
import { BASH_FACTS } from '../shared/gate/facts.ts';
import { classifyTree } from './classify-tree.ts';

const tree = (command: string, columns: number, confirm?: string) =>
  classifyTree(classify({ command, facts: BASH_FACTS }), { columns, confirm, touches: [] });

describe('oikos classify for people', () => {
  it('draws the stretches in the order of the command, with their reasons', () => {
    expect(tree('df -h; pct destroy 135', 80, 'destroy 135')).toEqual([
      'destructive',
      '├─ df -h',
      '│     read_only: shows how full filesystems are (df)',
      '└─ pct destroy 135',
      '      destructive: destroys the container (pct destroy)',
      'type     I confirm destroy 135',
    ]);
  });

  it('hangs what is inside below what holds it', () => {
    expect(tree("bash -c 'df -h; reboot'", 80)).toEqual([
      'destructive',
      "└─ bash -c 'df -h; reboot'",
      '   │  read_only: runs a script (bash)',
      '   ├─ reboot',
      '   │     destructive: takes the machine down (reboot)',
      '   └─ df -h',
      '         read_only: shows how full filesystems are (df)',
    ]);
  });

  it('shows the safer form', () => {
    expect(tree('journalctl -f', 80)).toContain('      safer: journalctl -n 200 --no-pager');
  });

  it.each([24, 32, 48])('keeps within %i columns', (columns) => {
    const lines = tree('df -h && systemctl restart nginx && ping nas', columns);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.join(' ')).toContain('systemctl restart');
  });
});
