import type { Tx } from './db/client.ts';
import { fleetEntities } from './db/entities.ts';
import type { ExecutionRow } from './db/executions.ts';
import { isStricter } from './domain/risk.ts';
import { resolveTarget } from './domain/target.ts';
import { classify } from './gate/classify.ts';
import { specHash } from './spec-hash.ts';
import { dialectOf, factsOf, touchedGuests } from './target-facts.ts';

/**
 * What is different from what a card showed: its target, the guests that it names, or how the gate
 * judges it. A yes that comes late is a yes to that card, not to what its names mean by now.
 */
export async function changedSinceCard(tx: Tx, shown: ExecutionRow): Promise<string | undefined> {
  const fleet = await fleetEntities(tx);
  const resolved = resolveTarget(shown.targetSlug, fleet);
  if (!resolved.ok) return `${shown.targetSlug} is no longer in the fleet`;
  const { target } = resolved;
  const facts = factsOf(target, fleet);
  const gate = classify({
    command: shown.command,
    facts,
    ...(shown.declaredRisk && { declaredRisk: shown.declaredRisk }),
  });
  const guests = touchedGuests(gate, target, fleet);
  if (specHash(target, dialectOf(facts), shown.command, guests) !== shown.specHash) {
    return 'what it acts on is not what the card showed';
  }
  return isStricter(gate.risk, shown.risk)
    ? `it counts as ${gate.risk} now, and the card said ${shown.risk}`
    : undefined;
}
