import { expect, it } from 'vitest';
import { type StoryFacts, storyOf } from './story.ts';

const at = new Date('2025-11-29T13:05:00Z');
const facts: StoryFacts = {
  number: 7,
  command: 'systemctl reload nginx',
  target: 'lxc:web',
  requestedBy: '@op:hs.lan',
  risk: 'reversible_low',
  reasons: [],
  provenance: null,
  authorization: { kind: 'pattern', ruleId: 'r' },
  exitCode: 0,
  outcome: null,
  words: null,
};

it('names the rule that let a command run, and who had allowed it', () => {
  const events = [
    { at, kind: 'execution.granted', actor: 'agent:nomos', data: {} },
    { at, kind: 'rule.used', actor: 'rule:R1', data: { number: 1, allowedBy: '@op:hs.lan' } },
  ];
  expect(storyOf(facts, events, 'UTC')).toBe(
    '#7, systemctl reload nginx on lxc:web:\n- 13:05, 29 Nov (UTC): R1 let it run, which @op:hs.lan had allowed.',
  );
});

it('tells why it was denied, in the words of who said no', () => {
  const events = [{ at, kind: 'execution.denied', actor: '@op:hs.lan', data: {} }];
  const outcome = '@op:hs.lan said no: not before tonight';
  expect(storyOf({ ...facts, outcome }, events, 'UTC')).toContain(`: ${outcome}.`);
});

it('names the rule that did not, and why', () => {
  const events = [
    { at, kind: 'rule.passed', actor: 'rule:R1', data: { number: 1, why: 'too often' } },
  ];
  expect(storyOf(facts, events, 'UTC')).toContain('R1 did not let it run: too often.');
});
