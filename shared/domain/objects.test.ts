import { describe, expect, it } from 'vitest';
import type { GateResult } from './gate-result.ts';
import { MATCHES_PLACEHOLDER, objectsOf, phraseFor, TARGET_PLACEHOLDER } from './objects.ts';

const lab = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const gate = (more: Partial<GateResult>): GateResult => ({
  risk: 'destructive',
  parts: [],
  flags: [],
  touches: [],
  policyVersion: '1',
  ...more,
});

describe('objectsOf', () => {
  it.each([
    ['a guest on its host', { touches: ['lxc/135'] }, lab, ['lxc/135@host:lab']],
    ['one guest named twice', { touches: ['lxc/135', 'lxc/135'] }, lab, ['lxc/135@host:lab']],
    [
      'the guest that is named',
      { touches: ['lxc/135'], confirm: { verb: 'destroy', object: '135' } },
      lab,
      ['lxc/135@host:lab'],
    ],
    [
      'a VM that is named',
      { touches: ['vm/200'], confirm: { verb: 'destroy', object: '200' } },
      lab,
      ['vm/200@host:lab'],
    ],
    [
      'a path in a guest, from its host: not the guest itself',
      { touches: ['lxc/135'], confirm: { verb: 'rm', object: '/srv' } },
      lab,
      ['/srv@lxc/135@host:lab'],
    ],
    [
      'two guests',
      { touches: ['lxc/135', 'lxc/136'], confirm: { verb: 'destroy', object: '135' } },
      lab,
      ['lxc/135@host:lab', 'lxc/136@host:lab'],
    ],
    ['a path in a guest', { confirm: { verb: 'rm', object: '/srv' } }, web, ['/srv@lxc:web']],
    [
      'the guest itself',
      { confirm: { verb: 'reboot', object: '@target' } },
      web,
      ['lxc/101@host:lab'],
    ],
    ['a whole host', { confirm: { verb: 'reboot', object: '@target' } }, lab, []],
    ['something without a name', {}, lab, []],
    ['what a pattern matches', { confirm: { verb: 'rm', object: '@matches' } }, web, null],
    ['an unknown reach', { touches: 'unknown' }, lab, null],
  ] as const)('%s', (_case, more, target, objects) => {
    expect(objectsOf(gate(more), target)).toEqual(objects);
  });
});

describe('phraseFor', () => {
  it('puts the target’s own name into the phrase', () => {
    const confirm = { verb: 'reboot', object: TARGET_PLACEHOLDER };
    expect(phraseFor(gate({ confirm }), lab)).toEqual({ verb: 'reboot', object: 'lab' });
  });

  it.each([
    [1, '1 file'],
    [14, '14 files'],
  ])('names how many a pattern matches: %d', (matches, object) => {
    const confirm = { verb: 'rm', object: MATCHES_PLACEHOLDER };
    expect(phraseFor(gate({ confirm }), lab, matches)).toEqual({ verb: 'rm', object });
  });

  it('keeps a literal object, and has none where the gate has none', () => {
    const confirm = { verb: 'destroy', object: '135' };
    expect(phraseFor(gate({ confirm }), lab)).toEqual(confirm);
    expect(phraseFor(gate({}), lab)).toBeNull();
  });
});
