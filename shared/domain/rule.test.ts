import { describe, expect, it } from 'vitest';
import type { GateFlag, GateResult } from './gate-result.ts';
import type { RiskClass } from './risk.ts';
import {
  type Identity,
  isForgotten,
  neverByRule,
  type RuleAsk,
  ruleContent,
  ruleObjection,
  type StandingRule,
} from './rule.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const lab = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
const identity: Identity = {
  target: web,
  rootVolume: 'zfs:subvol-101-disk-0',
  hostKey: 'SHA256:a',
};
const gate = (risk: RiskClass, more: Partial<GateResult> = {}): GateResult => ({
  risk,
  parts: [],
  flags: [],
  touches: [],
  policyVersion: '1',
  ...more,
});
const pattern: StandingRule = {
  id: 'r',
  number: 1,
  kind: 'pattern',
  agent: 'nomos',
  argv: ['systemctl', 'reload', 'nginx'],
  identity,
  dailyCap: 6,
  allowedBy: '@op:x',
  allowedAt: day(1),
  lastUsedAt: null,
  revokedAt: null,
};
const rule: StandingRule = { ...pattern, kind: 'rule', argv: ['systemctl', 'restart', 'nginx'] };
const ask = (of: StandingRule, more: Partial<RuleAsk> = {}): RuleAsk => ({
  agent: 'nomos',
  gate: gate(of.kind === 'pattern' ? 'reversible_low' : 'config_mutation'),
  argv: of.argv,
  identity,
  ...more,
});

describe('ruleObjection', () => {
  it.each([
    ['a pattern, its reversible_low', pattern, ask(pattern)],
    ['a rule, its config_mutation', rule, ask(rule)],
    ['a rule, what became milder', rule, ask(rule, { gate: gate('reversible_low') })],
    [
      'a pattern on a host',
      { ...pattern, identity: { ...identity, target: lab } },
      ask(pattern, { identity: { ...identity, target: lab } }),
    ],
    [
      'a rule whose root volume was not known',
      { ...rule, identity: { ...identity, rootVolume: null } },
      ask(rule),
    ],
  ])('lets %s run', (_claim, of, what) => {
    expect(ruleObjection(of, what, 0, day(2))).toBeUndefined();
  });

  const elsewhere = (target: Identity['target']) => ({ identity: { ...identity, target } });
  it.each<[string, StandingRule, RuleAsk, RegExp]>([
    ['other words', pattern, ask(pattern, { argv: ['systemctl', 'reload', 'php'] }), /another com/],
    ['more words', pattern, ask(pattern, { argv: [...pattern.argv, 'x'] }), /another command/],
    ['fewer words', pattern, ask(pattern, { argv: ['systemctl', 'reload'] }), /another command/],
    ['words that are not known', pattern, ask(pattern, { argv: undefined }), /another command/],
    ['another agent', pattern, ask(pattern, { agent: 'other' }), /another command/],
    [
      'another target',
      pattern,
      ask(pattern, elsewhere({ ...web, slug: 'lxc:dns' })),
      /another command/,
    ],
    ['a revoked rule', { ...pattern, revokedAt: day(1) }, ask(pattern), /revoked/],
    ['a rule that waits', { ...rule, allowedAt: null }, ask(rule), /never confirmed/],
    [
      'what nobody used for 90 days',
      { ...rule, allowedAt: day(-89) },
      ask(rule),
      /not used for 90 days/,
    ],
    [
      'a risen class',
      pattern,
      ask(pattern, { gate: gate('config_mutation') }),
      /covers reversible_low, and it counts as config_mutation now/,
    ],
    ['destruction', rule, ask(rule, { gate: gate('destructive') }), /destructive/],
    ['another vmid', pattern, ask(pattern, elsewhere({ ...web, vmid: 102 })), /another machine/],
    ['another name', pattern, ask(pattern, elsewhere({ ...web, name: 'b' })), /another machine/],
    [
      'another node',
      pattern,
      ask(pattern, elsewhere({ ...web, host: 'host:attic' })),
      /another machine/,
    ],
    [
      'another root volume',
      pattern,
      ask(pattern, { identity: { ...identity, rootVolume: 'zfs:subvol-101-disk-1' } }),
      /root volume was zfs:subvol-101-disk-0/,
    ],
    [
      'a root volume that is not known any more',
      pattern,
      ask(pattern, { identity: { ...identity, rootVolume: null } }),
      /is not known/,
    ],
    [
      'another host key',
      pattern,
      ask(pattern, { identity: { ...identity, hostKey: 'SHA256:b' } }),
      /another key/,
    ],
    [
      'a host, by a rule',
      { ...rule, identity: { ...identity, target: lab } },
      ask(rule, elsewhere(lab)),
      /no rule covers changes on a host/,
    ],
  ])('does not cover %s', (_claim, of, what, why) => {
    expect(ruleObjection(of, what, 0, day(2))).toMatch(why);
  });

  it('lets it run as often as the cap says', () => {
    expect(ruleObjection(pattern, ask(pattern), 5, day(2))).toBeUndefined();
    expect(ruleObjection(pattern, ask(pattern), 6, day(2))).toMatch(/used 6 times/);
  });
});

describe('neverByRule', () => {
  it.each<GateFlag>(['opaque', 'access', 'egress', 'secret', 'self', 'unbounded'])(
    'holds for what is flagged %s',
    (flag) => {
      for (const kind of ['pattern', 'rule'] as const) {
        expect(neverByRule(kind, gate('config_mutation', { flags: [flag] }), web)).toContain(flag);
      }
    },
  );

  it('holds for what reaches guests from outside, or nobody knows where', () => {
    expect(neverByRule('pattern', gate('reversible_low', { touches: ['lxc/101'] }), lab)).toMatch(
      /lxc\/101 from outside/,
    );
    expect(neverByRule('rule', gate('config_mutation', { touches: 'unknown' }), web)).toMatch(
      /cannot be told/,
    );
  });
});

it('neverByRule holds for what depends on files', () => {
  const contents = [{ paths: ['/srv/app/compose.yaml'], use: 'applies it', need: 'one' }] as const;
  const globs = [{ pattern: '/srv/*.log' }];
  for (const more of [{ contents }, { globs }]) {
    expect(neverByRule('rule', gate('config_mutation', more), web)).toMatch(/depends on files/);
  }
});

describe('isForgotten', () => {
  it.each([
    [null, null, day(400), false],
    [day(1), null, day(90), false],
    [day(1), null, day(91), true],
    [day(1), day(50), day(139), false],
    [day(1), day(50), day(140), true],
  ])('allowed %s, used %s: by %s', (allowedAt, lastUsedAt, now, forgotten) => {
    expect(isForgotten({ allowedAt, lastUsedAt }, now)).toBe(forgotten);
  });
});

describe('ruleContent', () => {
  const other: Partial<StandingRule>[] = [
    { id: 'other' },
    { number: 2 },
    { kind: 'rule' },
    { agent: 'x' },
    { argv: ['systemctl', 'reload nginx'] },
    { dailyCap: 7 },
    { allowedBy: '@x:x' },
    { allowedAt: null },
    { identity: { ...identity, rootVolume: null } },
    { identity: { ...identity, hostKey: null } },
    { identity: { ...identity, target: { ...web, vmid: 102 } } },
    { identity: { ...identity, target: { ...web, host: 'host:x' } } },
    { identity: { ...identity, target: lab } },
  ];
  it('differs wherever what is allowed differs', () => {
    const contents = [pattern, ...other.map((more) => ({ ...pattern, ...more }))].map(ruleContent);
    expect(new Set(contents).size).toBe(other.length + 1);
  });

  it('is the same before and after a use or a revocation', () => {
    const later = { ...pattern, lastUsedAt: day(5), revokedAt: day(6) };
    expect(ruleContent(later)).toBe(ruleContent(pattern));
  });
});
