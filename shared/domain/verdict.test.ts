import { describe, expect, it } from 'vitest';
import type { GateResult } from './gate-result.ts';
import type { StandingRule } from './rule.ts';
import { judge, type VerdictAsk } from './verdict.ts';
import type { Window } from './window.ts';

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 12, n));
const gate = (more: Partial<GateResult>): GateResult => ({
  risk: 'config_mutation',
  parts: [],
  flags: [],
  touches: [],
  policyVersion: '1',
  ...more,
});
const assent: Window = {
  id: 'w1',
  kind: 'assent',
  agent: 'nomos',
  taskId: 't',
  object: null,
  verb: null,
  openedAt: minute(0),
  expiresAt: minute(30),
  revokedAt: null,
  coversSeq: 5,
};
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const ask = (more: Partial<VerdictAsk> = {}): VerdictAsk => ({
  gate: gate({}),
  target: web,
  agent: 'nomos',
  taskId: 't',
  windows: [],
  rules: [],
  argv: ['systemctl', 'restart', 'nginx'],
  identity: { target: web, rootVolume: null, hostKey: null },
  created: [],
  reads: [],
  approvedBefore: false,
  byOperator: true,
  now: minute(10),
  ...more,
});

describe('judge', () => {
  it('runs a plain read at once', () => {
    expect(judge(ask({ gate: gate({ risk: 'read_only' }) }))).toEqual({
      kind: 'run',
      authorization: { kind: 'read_only' },
    });
  });

  it('asks before a change', () => {
    expect(judge(ask())).toEqual({ kind: 'ask' });
  });

  it('runs a change under an open window', () => {
    expect(judge(ask({ windows: [assent] }))).toMatchObject({
      authorization: { kind: 'window', windowId: 'w1' },
    });
  });

  it('asks again once the window is over', () => {
    expect(judge(ask({ windows: [assent], now: minute(30) }))).toEqual({ kind: 'ask' });
  });

  it('uses no window for a turn that no operator asked for', () => {
    expect(judge(ask({ windows: [assent], byOperator: false }))).toEqual({ kind: 'ask' });
  });

  it('asks when something foreign was read since the yes, unless this very request was approved', () => {
    const reads = [{ seq: 6, origin: 'guest:lxc:dns' }] as const;
    expect(judge(ask({ windows: [assent], reads }))).toEqual({ kind: 'ask' });
    const before = judge(ask({ windows: [assent], reads, approvedBefore: true }));
    expect(before.kind).toBe('run');
  });

  it('refuses what never ends, with a bounded form', () => {
    const endless = gate({ risk: 'read_only', flags: ['unbounded'], hint: 'use journalctl -n 50' });
    expect(judge(ask({ gate: endless }))).toMatchObject({
      kind: 'refuse',
      hint: 'use journalctl -n 50',
    });
    expect(judge(ask({ gate: gate({ flags: ['unbounded'] }) }))).toMatchObject({ kind: 'refuse' });
  });

  it('refuses a destruction that no sentence can name', () => {
    expect(judge(ask({ gate: gate({ risk: 'destructive' }) }))).toMatchObject({ kind: 'refuse' });
    const hinted = gate({ risk: 'destructive', hint: 'one at a time' });
    expect(judge(ask({ gate: hinted }))).toMatchObject({ hint: 'one at a time' });
  });

  it('asks for a destruction with a name, even under the assent window', () => {
    const destroy = gate({ risk: 'destructive', confirm: { verb: 'destroy', object: '135' } });
    expect(judge(ask({ gate: destroy, windows: [assent] }))).toEqual({ kind: 'ask' });
  });

  describe('with a rule about this very command', () => {
    const rule: StandingRule = {
      id: 'r1',
      number: 1,
      kind: 'rule',
      agent: 'nomos',
      argv: ['systemctl', 'restart', 'nginx'],
      identity: { target: web, rootVolume: null, hostKey: null },
      dailyCap: 2,
      allowedBy: '@op:x',
      allowedAt: minute(0),
      lastUsedAt: null,
      revokedAt: null,
    };
    const rules = [{ rule, uses: 1 }];
    const byRule = { kind: 'rule', ruleId: 'r1' };

    it('runs by it, and names it before a window that would do too', () => {
      const verdict = judge(ask({ rules, windows: [assent] }));
      expect(verdict).toMatchObject({ kind: 'run', authorization: byRule, rule });
    });

    it('runs by the window when the rule is used up', () => {
      const verdict = judge(ask({ rules: [{ rule, uses: 2 }], windows: [assent] }));
      expect(verdict).toMatchObject({ kind: 'run', authorization: { kind: 'window' } });
    });

    it.each<[string, Partial<VerdictAsk>, RegExp]>([
      ['it is used up', { rules: [{ rule, uses: 2 }] }, /used 2 times/],
      ['no operator asked for the work', { byOperator: false }, /an operator asked for/],
      [
        'text from elsewhere was read, however long ago',
        { reads: [{ seq: 1, origin: 'guest:lxc:dns' }] },
        /text from elsewhere/,
      ],
      ['the gate flags it', { gate: gate({ flags: ['access'] }) }, /flagged access/],
      ['it reaches beyond its target', { gate: gate({ touches: 'unknown' }) }, /cannot be told/],
    ])('asks when %s, and says why it passed the rule', (_claim, more, why) => {
      expect(judge(ask({ rules, ...more }))).toEqual({
        kind: 'ask',
        passed: [{ rule, why: expect.stringMatching(why) }],
      });
    });

    it.each<[string, Partial<VerdictAsk>]>([
      ['the target itself', { reads: [{ seq: 1, origin: 'guest:lxc:web' }] }],
      [
        'elsewhere, but this very request was approved in this task',
        { reads: [{ seq: 1, origin: 'web' }], approvedBefore: true },
      ],
    ])('runs after reading %s', (_claim, more) => {
      expect(judge(ask({ rules, ...more }))).toMatchObject({ authorization: byRule });
    });

    it('never runs a destruction by it', () => {
      const destroy = gate({ risk: 'destructive', confirm: { verb: 'x', object: 'y' } });
      expect(judge(ask({ rules, gate: destroy })).kind).toBe('ask');
    });
  });

  it('lets access ride on a window only inside a container that the task created', () => {
    const access = { kind: 'unit', at: 'target' } as const;
    const part = { text: '', span: [0, 0], rule: 'access', why: '', access } as const;
    const unit = gate({ flags: ['access'], parts: [{ ...part, class: 'config_mutation' }] });
    const created = ['lxc/101@host:lab'];
    expect(judge(ask({ gate: unit, windows: [assent], created })).kind).toBe('run');
    expect(judge(ask({ gate: unit, windows: [assent] })).kind).toBe('ask');
    expect(judge(ask({ gate: unit, created })).kind).toBe('ask');
  });

  it('runs a second destruction of the confirmed guest under its window', () => {
    const window: Window = {
      ...assent,
      kind: 'destructive',
      object: 'lxc/135@host:lab',
      verb: 'destroy',
    };
    const target = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
    const destroy = (vmid: number) =>
      gate({
        risk: 'destructive',
        touches: [`lxc/${vmid}`],
        confirm: { verb: 'destroy', object: `${vmid}` },
      });
    expect(judge(ask({ gate: destroy(135), target, windows: [window] })).kind).toBe('run');
    expect(judge(ask({ gate: destroy(136), target, windows: [window] }))).toEqual({ kind: 'ask' });
  });
});
