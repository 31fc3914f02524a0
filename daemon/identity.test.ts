import { describe, expect, it } from 'vitest';
import type { GateResult } from '../shared/domain/gate-result.ts';
import { expectedGuests, identityMismatch } from './identity.ts';

const fleet = [
  {
    type: 'lxc',
    slug: 'lxc:web-old',
    name: 'web-old',
    state: 'active',
    attributes: { host: 'lab', vmid: 135, site: 'home' },
  },
];
const onHost = { targetKind: 'host', targetName: 'lab', vmid: null, hostSlug: 'host:lab' } as const;
const onGuest = { targetKind: 'lxc', targetName: 'web', vmid: 101, hostSlug: 'host:lab' } as const;

function gate(more: Partial<GateResult>): GateResult {
  return { risk: 'destructive', parts: [], flags: [], touches: [], policyVersion: 'x', ...more };
}

function part(rule: string, touches: string[]) {
  return { text: '', span: [0, 0] as const, rule, why: '', class: 'destructive' as const, touches };
}

describe('guests whose identity is checked', () => {
  it.each([
    ['the target of a change', onGuest, gate({}), [{ kind: 'lxc', vmid: 101, name: 'web' }]],
    ['no guest when only read', onGuest, gate({ risk: 'read_only' }), []],
    [
      'what a host command names',
      onHost,
      gate({ touches: ['lxc/135'] }),
      [{ kind: 'lxc', vmid: 135, name: 'web-old' }],
    ],
    [
      'an unlisted guest by its existence',
      onHost,
      gate({ touches: ['vm/200'] }),
      [{ kind: 'vm', vmid: 200, name: undefined }],
    ],
    [
      'none that is about to be made',
      onHost,
      gate({ touches: ['lxc/150'], parts: [part('pct create', ['lxc/150'])] }),
      [],
    ],
  ])('%s', (_claim, row, result, expected) => {
    expect(expectedGuests(row, result, fleet)).toEqual(expected);
  });
});

describe('identityMismatch', () => {
  const guest = { kind: 'lxc', vmid: 135, name: 'web-old' } as const;
  const answered = (code: number, stdout: string, stderr = '') =>
    ({ kind: 'answered', code, stdout, stderr }) as const;

  it.each([
    ['the same guest', answered(0, 'arch: amd64\nhostname: web-old\n'), undefined],
    ['another name', answered(0, 'hostname: db\n'), /is named db now, not web-old/],
    [
      'no such guest',
      answered(2, '', "Configuration file 'x' does not exist\n"),
      /there is no CT 135/,
    ],
    [
      'no answer',
      { kind: 'unknown', reason: 'the connection broke' } as const,
      /could not be checked/,
    ],
  ])('%s', (_claim, answer, expected) => {
    const mismatch = identityMismatch(guest, answer, 'host:lab');
    if (expected) expect(mismatch).toMatch(expected);
    else expect(mismatch).toBeUndefined();
  });
});
