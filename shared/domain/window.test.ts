import { describe, expect, it } from 'vitest';
import type { GateFlag, GateResult } from './gate-result.ts';
import type { RiskClass } from './risk.ts';
import { isOpen, NEVER_UNDER_A_WINDOW, scopeAllows, type Window } from './window.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
const assent: Window = {
  id: 'w',
  kind: 'assent',
  agent: 'nomos',
  taskId: 't',
  object: null,
  verb: null,
  openedAt: at(0),
  expiresAt: at(30),
  revokedAt: null,
  coversSeq: 0,
};
const destructive: Window = {
  ...assent,
  kind: 'destructive',
  object: 'lxc/135@host:lab',
  verb: 'destroy',
};
const gate = (risk: RiskClass, flags: GateFlag[] = []): GateResult => ({
  risk,
  flags,
  parts: [],
  touches: [],
  policyVersion: '1',
  confirm: { verb: 'destroy', object: '135' },
});
const ask = (risk: RiskClass, flags?: GateFlag[], objects: readonly string[] | null = []) => ({
  agent: 'nomos',
  taskId: 't',
  gate: gate(risk, flags),
  objects,
});

describe('isOpen', () => {
  it('counts at its opening and no longer at its end', () => {
    expect(isOpen(assent, at(0))).toBe(true);
    expect(isOpen(assent, at(29))).toBe(true);
    expect(isOpen(assent, at(30))).toBe(false);
    expect(isOpen(assent, new Date(at(0).getTime() - 1))).toBe(false);
  });

  it('does not count once revoked', () => {
    expect(isOpen({ ...assent, revokedAt: at(1) }, at(2))).toBe(false);
  });
});

describe('scopeAllows', () => {
  it('lets the assent window cover changes, never destruction', () => {
    expect(scopeAllows(assent, ask('config_mutation'))).toBe(true);
    expect(scopeAllows(assent, ask('reversible_low'))).toBe(true);
    expect(scopeAllows(assent, ask('destructive'))).toBe(false);
  });

  it.each(NEVER_UNDER_A_WINDOW)('never covers what is flagged %s', (flag) => {
    expect(scopeAllows(assent, ask('config_mutation', [flag]))).toBe(false);
    expect(scopeAllows(destructive, ask('destructive', [flag], ['lxc/135@host:lab']))).toBe(false);
  });

  it('belongs to one agent and one task', () => {
    expect(scopeAllows(assent, { ...ask('config_mutation'), taskId: 'other' })).toBe(false);
    expect(scopeAllows(assent, { ...ask('config_mutation'), agent: 'other' })).toBe(false);
  });

  it('covers the confirmed deed only: who confirmed a rollback did not confirm a destruction', () => {
    const rollback: Window = { ...destructive, verb: 'rollback' };
    expect(scopeAllows(rollback, ask('destructive', [], ['lxc/135@host:lab']))).toBe(false);
    expect(scopeAllows(rollback, ask('config_mutation', [], ['lxc/135@host:lab']))).toBe(true);
  });

  it.each([
    [['lxc/135@host:lab'], true],
    [['lxc/136@host:lab'], false],
    [['lxc/135@host:other'], false],
    [['lxc/135@host:lab', 'lxc/136@host:lab'], false],
    [[], false],
    [null, false],
  ] as const)('covers the confirmed object and nothing beside it: %j', (objects, covered) => {
    expect(scopeAllows(destructive, ask('destructive', [], objects))).toBe(covered);
  });
});
