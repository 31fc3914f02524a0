import { describe, expect, it } from 'vitest';
import { highestNumber, normalise, renumber } from './normalise.ts';

describe('normalise', () => {
  it.each([
    ['Waits until 00:46, 30 Nov (UTC).', 'Waits until 12:00, 1 Dec (UTC).'],
    ['✓ run on host:lab: df -h (13 s)', '✓ run on host:lab: df -h (0.2 s)'],
    ['(exit 0, 1 min 3 s)', '(exit 0, 1 min 0 s)'],
    ['#3 under a yes (29 min left)', '#3 under a yes (30 min left)'],
    ['#3 under a yes (15 min left)', '#3 under a yes (15 min left)'],
    ['/: 7 % (1.2T of 18T used, 16T free). That', '/: 15 % (14G of 94G used, 80G free). That'],
    [
      '/srv/backup: 100 % (24M of 24M used, 0 free)',
      '/srv/backup: 100 % (24M of 24M used, 0 free)',
    ],
    ['Nov  3 09:12:09 web nginx[701]: x', 'Dec  1 11:58:00 web nginx[100]: x'],
    ['Nov 30 09:12:09 web systemd[1]: x', 'Dec  1 11:58:00 web systemd[1]: x'],
    [
      'active (running) since Mon 2026-11-30 00:46:04 UTC; 12s ago.',
      'active (running) since Tue 2026-12-01 11:58:00 UTC; 2min 0s ago.',
    ],
    ['exit 255, CT 135, 192.0.2.110:5432', 'exit 255, CT 135, 192.0.2.110:5432'],
  ])('%s', (text, wanted) => expect(normalise(text)).toBe(wanted));

  it('changes nothing the second time', () => {
    const text = 'until 00:46, 30 Nov (UTC), 13 s, 7 %, Nov 30 09:12:09 web nginx[701]: x';
    expect(normalise(normalise(text))).toBe(normalise(text));
  });
});

it('counts cards from one again', () => {
  expect(highestNumber('#2 and #12, but not 99')).toBe(12);
  expect(renumber('#13 waits, #14 too, #3 was before', 12)).toBe('#1 waits, #2 too, #3 was before');
});
