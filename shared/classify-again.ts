import type { ExecutionRow } from './db/executions.ts';
import type { GateResult } from './domain/gate-result.ts';
import type { Target } from './domain/target.ts';
import { classify } from './gate/classify.ts';
import { factsOf, type GateGround } from './gate-facts.ts';

/**
 * Judges a stored execution by the present rules, settings and facts, in the shell that it was
 * judged for: that one runs it.
 */
export function classifyAgain(
  row: Pick<ExecutionRow, 'command' | 'dialect' | 'declaredRisk'>,
  target: Target,
  ground: GateGround,
): GateResult {
  return classify({
    command: row.command,
    ...(row.declaredRisk && { declaredRisk: row.declaredRisk }),
    facts: { ...factsOf(target, ground), shell: row.dialect },
    policy: ground.settings.policy,
  });
}
