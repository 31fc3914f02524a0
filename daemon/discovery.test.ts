import { expect, it } from 'vitest';
import { classify } from '../shared/gate/classify.ts';
import { SHELL_QUESTION, shellFrom } from './discovery.ts';

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
