import { describe, expect, it } from 'vitest';
import type { GateResult } from '../shared/domain/gate-result.ts';
import { expectedGuests, identityMismatch, rootVolumeOf } from './identity.ts';

const named = (key: string, name: string | null) => ({ key, slug: null, name });
type Row = Parameters<typeof expectedGuests>[0];
const onHost: Row = { targetKind: 'host', targetName: 'lab', vmid: null, guests: [] };
const onGuest: Row = { targetKind: 'lxc', targetName: 'web', vmid: 101, guests: [] };

function gate(more: Partial<GateResult>): GateResult {
  return { risk: 'destructive', parts: [], flags: [], touches: [], policyVersion: 'x', ...more };
}

describe('guests whose identity is checked', () => {
  it.each([
    ['the target of a change', onGuest, gate({}), [{ kind: 'lxc', vmid: 101, name: 'web' }]],
    ['no guest when only read', onGuest, gate({ risk: 'read_only' }), []],
    [
      'what a host command names, by the name on its card',
      { ...onHost, guests: [named('lxc/135', 'web-old')] },
      gate({ touches: ['lxc/135'] }),
      [{ kind: 'lxc', vmid: 135, name: 'web-old' }],
    ],
    [
      'a guest that the fleet does not list',
      { ...onHost, guests: [named('vm/200', null)] },
      gate({ touches: ['vm/200'] }),
      [{ kind: 'vm', vmid: 200, name: undefined }],
    ],
  ])('%s', (_claim, row, result, expected) => {
    expect(expectedGuests(row, result)).toEqual(expected);
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

describe('rootVolumeOf', () => {
  const answered = (stdout: string, code = 0) =>
    ({ kind: 'answered', code, stdout, stderr: '' }) as const;
  it.each([
    [
      'arch: amd64\nrootfs: local-zfs:subvol-101-disk-0,size=8G\nhostname: web\n',
      'local-zfs:subvol-101-disk-0',
    ],
    ['rootfs: local-lvm:vm-101-disk-0\n', 'local-lvm:vm-101-disk-0'],
    ['description: rootfs: x\n', undefined],
    ['', undefined],
  ])('%j', (stdout, volume) => {
    expect(rootVolumeOf(answered(stdout))).toBe(volume);
  });

  it('knows none where the question failed', () => {
    expect(rootVolumeOf(answered('rootfs: a:b\n', 2))).toBeUndefined();
    expect(rootVolumeOf({ kind: 'unknown', reason: 'x' })).toBeUndefined();
  });
});
