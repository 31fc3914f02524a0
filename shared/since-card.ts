import { classifyAgain } from './classify-again.ts';
import type { Tx } from './db/client.ts';
import type { ExecutionRow } from './db/executions.ts';
import { readGateGround } from './db/gate-ground.ts';
import { isStricter } from './domain/risk.ts';
import { resolveTarget } from './domain/target.ts';
import { specHash } from './spec-hash.ts';
import { touchedGuests } from './target-facts.ts';

/**
 * What is different from what a card showed: its target, the guests that it names, or how the gate
 * judges it. A yes that comes late is a yes to that card, not to what its names mean by now.
 */
export async function changedSinceCard(tx: Tx, shown: ExecutionRow): Promise<string | undefined> {
  const ground = await readGateGround(tx);
  const { fleet } = ground;
  const resolved = resolveTarget(shown.targetSlug, fleet);
  if (!resolved.ok) return `${shown.targetSlug} is no longer in the fleet`;
  const { target } = resolved;
  const gate = classifyAgain(shown, target, ground);
  const guests = touchedGuests(gate, target, fleet);
  if (specHash(target, shown.dialect, shown.command, guests, shown.facts) !== shown.specHash) {
    return 'what it acts on is not what the card showed';
  }
  return isStricter(gate.risk, shown.risk)
    ? `it counts as ${gate.risk} now, and the card said ${shown.risk}`
    : undefined;
}
