import { describe, expect, it } from 'vitest';
import { judge } from './assent.ts';

const said = { kind: 'text', from: 'operator', when: 'after' } as const;

describe('oikos assent', () => {
  it.each([
    ['S1', 'yes', { label: 'assent', scope: '1' }],
    ['S2', 'approve 2, deny 3', { label: 'assent', scope: '2;deny:3' }],
    ['S3', 'I confirm destroy 135', { label: 'typed_confirm', scope: '135' }],
    ['S1', 'not yet', { label: 'neither', scope: '' }],
    ['S5', 'yes', { label: 'neither', scope: '' }],
    ['S9', 'yes', { label: 'neither', scope: '' }],
    ['S9', 'yes #1', { label: 'assent', scope: '1' }],
    ['S10', 'yes', { label: 'neither', scope: '' }],
    ['S11', 'yes', { label: 'assent', scope: '1' }],
  ] as const)('in %s reads %j', (state, message, verdict) => {
    expect(judge({ ...said, state, message })).toMatchObject(verdict);
  });

  it('treats an unknown kind of event as no text at all', () => {
    expect(judge({ ...said, state: 'S1', message: 'yes', kind: 'poll' })).toMatchObject({
      label: 'neither',
    });
  });
});
