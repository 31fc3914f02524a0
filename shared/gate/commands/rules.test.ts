import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { type Context, newBudget } from '../context.ts';
import { BASH_FACTS } from '../facts.ts';
import { DEFAULT_POLICY } from '../policy.ts';
import { callFor } from '../registry.ts';
import { Report } from '../report.ts';
import type { Program, Rule } from '../rule.ts';
import { newScope } from '../scope.ts';
import { literal, type Value } from '../value.ts';
import { expandWord } from '../words.ts';
import { PROGRAMS } from './index.ts';

/** The words of an example, which is always one simple command. */
function wordsOf(example: string, context: Context): readonly Value[] {
  const command = parse(example).commands[0]?.command;
  if (command?.type !== 'Command' || command.name === undefined) throw new Error(example);
  return [command.name, ...command.args].flatMap((word) =>
    word.type === 'Word' ? expandWord(word, context) : [literal(word.text)],
  );
}

function newContext(example: string): Context {
  const refuse = (): never => {
    throw new Error('examples hold no nested commands');
  };
  return {
    source: example,
    report: new Report(),
    budget: newBudget(),
    depth: 0,
    shell: 'bash',
    facts: BASH_FACTS,
    policy: DEFAULT_POLICY,
    scope: newScope(),
    input: example.includes('</dev/null') ? { kind: 'null' } : { kind: 'inherited' },
    engine: { script: refuse, text: refuse, argv: refuse },
  };
}

function matches(program: Program, rule: Rule, example: string): boolean {
  const context = newContext(example);
  const [head, ...args] = wordsOf(example, context);
  const name = head?.text ?? '';
  if (!program.names.includes(name)) return false;
  const call = callFor(program, rule, name, args, context);
  return call !== undefined && rule.when(call).matches;
}

const RULES = PROGRAMS.flatMap((program) => program.rules.map((rule) => ({ program, rule })));

describe('every rule knows its own examples', () => {
  for (const { program, rule } of RULES) {
    const title = [program.names[0], ...rule.verb].join(' ');
    it(`${title}: ${rule.why}`, () => {
      const answers = (examples: readonly string[]) =>
        examples.map((example) => [example, matches(program, rule, example)]);
      const all = (examples: readonly string[], answer: boolean) =>
        examples.map((example) => [example, answer]);
      expect(answers(rule.match)).toEqual(all(rule.match, true));
      expect(answers(rule.notMatch)).toEqual(all(rule.notMatch, false));
      expect(rule.match.length).toBeGreaterThan(0);
    });
  }
});

describe('the rules as a whole', () => {
  it('give every harmless rule a counter-example', () => {
    const without = RULES.filter(
      ({ rule }) => rule.class !== 'config_mutation' && rule.notMatch.length === 0,
    );
    expect(without.map(({ program, rule }) => [program.names[0], ...rule.verb])).toEqual([]);
  });

  it('state their reason as one plain phrase without a full stop', () => {
    const odd = RULES.filter(({ rule }) => !/^[a-z][^.]*$/.test(rule.why));
    expect(odd.map(({ rule }) => rule.why)).toEqual([]);
  });
});
