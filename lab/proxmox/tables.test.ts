import { describe, expect, it } from 'vitest';
import { parseGuestConfig } from './guest-config.ts';
import { formatPctList, formatVerboseStatus } from './tables.ts';

const guest = (vmid: number, text: string, running?: { pid: number; uptimeSeconds: number }) => ({
  vmid,
  node: 'pve1',
  config: parseGuestConfig(text),
  ...(running ? { running } : {}),
});

describe('pct list', () => {
  it('prints nothing for an empty node', () => {
    expect(formatPctList([])).toBe('');
  });

  it('prints padded columns, sorted by id', () => {
    const guests = [
      guest(110, 'hostname: db\n'),
      guest(101, 'hostname: web1\nlock: backup\n', { pid: 1, uptimeSeconds: 2 }),
    ];
    expect(formatPctList(guests)).toBe(
      'VMID       Status     Lock         Name                \n' +
        '101        running    backup       web1                \n' +
        '110        stopped                 db                  \n',
    );
  });
});

describe('pct status --verbose', () => {
  it('is sorted and has no cpu', () => {
    const text = formatVerboseStatus(guest(101, 'hostname: web\n', { pid: 7, uptimeSeconds: 9 }));
    expect(text.split('\n').map((line) => line.split(':')[0])).toEqual(
      'cpus disk diskread diskwrite maxdisk maxmem maxswap mem name netin netout pid status swap type uptime vmid '.split(
        ' ',
      ),
    );
    expect(text).toContain('\nstatus: running\n');
  });
});
