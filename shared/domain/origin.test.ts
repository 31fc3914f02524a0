import { expect, it } from 'vitest';
import { originOf, readsAllow } from './origin.ts';

it('names hosts and guests as origins', () => {
  expect(originOf({ kind: 'host', slug: 'host:lab' })).toBe('host:lab');
  expect(originOf({ kind: 'lxc', slug: 'lxc:web' })).toBe('guest:lxc:web');
});

it.each([
  ['nothing was read', [], true],
  [
    'only Oikos and the operator were heard',
    [
      ['operator', 2],
      ['oikos', 3],
    ],
    true,
  ],
  ['the very guest was read', [['guest:lxc:web', 4]], true],
  ['another guest was read since', [['guest:lxc:dns', 4]], false],
  ['the web was read since', [['web', 2]], false],
  ['another guest was read before the yes', [['guest:lxc:dns', 1]], true],
] as const)('a command on lxc:web after a yes at 1, when %s', (_case, reads, allowed) => {
  const list = reads.map(([origin, seq]) => ({ origin, seq }));
  expect(readsAllow(list, 1, 'guest:lxc:web')).toBe(allowed);
});

it('does not let text from a guest reach its host', () => {
  expect(readsAllow([{ origin: 'guest:lxc:web', seq: 2 }], 1, 'host:lab')).toBe(false);
});
