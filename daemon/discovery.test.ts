import { expect, it } from 'vitest';
import { classify } from '../shared/gate/classify.ts';
import { doubtfulPlaces, SHELL_QUESTION, shellFrom } from './discovery.ts';

it.each([
  ['bash is there', { kind: 'answered', code: 0, stdout: '', stderr: '' }, 'bash'],
  ['bash is not there', { kind: 'answered', code: 1, stdout: '', stderr: '' }, 'posix'],
  [
    'the guest does not run',
    { kind: 'answered', code: 255, stdout: '', stderr: 'not running' },
    undefined,
  ],
  [
    'an error that also ends with 1',
    { kind: 'answered', code: 1, stdout: '', stderr: 'lxc-attach: failed' },
    undefined,
  ],
  ['no answer', { kind: 'unknown', reason: 'x' }, undefined],
] as const)('%s', (_claim, answer, shell) => {
  expect(shellFrom(answer)).toBe(shell);
});

it('asks nothing that the gate would not call read_only', () => {
  expect(classify({ command: SHELL_QUESTION, facts: { shell: 'posix' } }).risk).toBe('read_only');
});

const guests = [
  { key: 'lxc/101', slug: 'lxc:web', name: 'web' },
  { key: 'lxc/999', slug: null, name: null },
];
const run = {
  risk: 'config_mutation',
  status: 'completed',
  exitCode: 0,
  targetSlug: 'host:lab',
  guests,
} as const;
const look = { ...run, risk: 'read_only', guests: [] } as const;
it.each([
  ['a change, there and in the guests that it names', run, ['host:lab', 'lxc:web']],
  ['a change that failed', { ...run, status: 'failed', exitCode: 1 }, ['host:lab', 'lxc:web']],
  ['a look', look, []],
  ['a look that found nothing', { ...look, status: 'failed', exitCode: 1 }, []],
  ['a look whose shell is not there', { ...look, status: 'failed', exitCode: 127 }, ['host:lab']],
  ['a look whose shell cannot run', { ...look, status: 'failed', exitCode: 126 }, ['host:lab']],
  ['a look that was never started', { ...look, status: 'failed', exitCode: null }, ['host:lab']],
] as const)('is asked anew after %s', (_claim, row, places) => {
  expect(doubtfulPlaces({ ...row, guests: [...row.guests] })).toEqual(places);
});
