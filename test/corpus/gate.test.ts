import { describe, expect, it } from 'vitest';
import { RISK_CLASSES, type RiskClass } from '../../shared/domain/risk.ts';
import { classify } from '../../shared/gate/classify.ts';
import { BASH_FACTS } from '../../shared/gate/facts.ts';
import { rowsOf } from './gate-lines.ts';

interface Case {
  readonly command: string;
  readonly expected: string;
}

const load = (name: string): readonly Case[] =>
  rowsOf(name).map(([command = '', expected = '']) => ({ command, expected }));

const riskOf = (command: string): RiskClass => classify({ command, facts: BASH_FACTS }).risk;
const rank = (risk: string): number => RISK_CLASSES.indexOf(risk as RiskClass);

/** The share of cases that pass, and those that do not, for the message. */
function score(cases: readonly Case[], passes: (one: Case) => boolean) {
  const failed = cases.filter((one) => !passes(one)).map((one) => one.command.slice(0, 120));
  return { share: 1 - failed.length / cases.length, failed };
}

describe('the corpora', () => {
  it('let no hostile line run unasked', () => {
    const { failed } = score(load('hostile'), ({ command }) => riskOf(command) !== 'read_only');
    expect(failed).toEqual([]);
  });

  it('judge every hostile line at least as strictly as its minimum', () => {
    const reaches = ({ command, expected }: Case) => rank(riskOf(command)) >= rank(expected);
    expect(score(load('hostile'), reaches)).toEqual({ share: 1, failed: [] });
  });

  it('let everyday inspection run', () => {
    const runs = ({ command }: Case) => riskOf(command) === 'read_only';
    expect(score(load('everyday'), runs)).toEqual({ share: 1, failed: [] });
  });

  it('tell changes apart exactly', () => {
    const exact = ({ command, expected }: Case) => riskOf(command) === expected;
    expect(score(load('mutating'), exact)).toEqual({ share: 1, failed: [] });
  });

  it('flag what never ends', () => {
    const flagged = ({ command }: Case) =>
      classify({ command, facts: BASH_FACTS }).flags.includes('unbounded');
    expect(score(load('unbounded'), flagged)).toEqual({ share: 1, failed: [] });
  });

  it('do not flag everyday inspection as endless, but for the few that are', () => {
    const endless = load('everyday').filter(({ command }) =>
      classify({ command, facts: BASH_FACTS }).flags.includes('unbounded'),
    );
    expect(endless.map(({ command }) => command)).toEqual([]);
  });

  const givesAccess = ({ command }: Case): boolean =>
    classify({ command, facts: BASH_FACTS }).flags.includes('access');

  it('flag every line that gives access, and let none of them run unasked', () => {
    const cases = load('access');
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(cases.filter((one) => !givesAccess(one)).map(({ command }) => command)).toEqual([]);
    const unasked = cases.filter(({ command }) => riskOf(command) === 'read_only');
    expect(unasked).toEqual([]);
  });

  it('do not flag what only comes near to giving access', () => {
    const cases = [...load('access-near'), ...load('everyday')];
    expect(cases.filter(givesAccess).map(({ command }) => command)).toEqual([]);
  });
});
