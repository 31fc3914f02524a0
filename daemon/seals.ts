import type { DecisionRow } from '../shared/db/approvals.ts';
import type { FleetEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import type { Authorization } from '../shared/domain/authorization.ts';
import type { Sealer } from '../shared/seal.ts';
import {
  decisionContent,
  executionContent,
  type SealedWindow,
  targetContent,
  windowContent,
} from '../shared/sealed.ts';

/** A window as it must be for its seal to be looked at. */
export type WindowProof = SealedWindow & { readonly seal: string | null };
/** The yes of an approval, as it was recorded. */
export type DecisionProof = Omit<DecisionRow, 'id' | 'words'>;

export interface SealedProof {
  readonly window?: WindowProof | undefined;
  readonly decision?: DecisionProof | undefined;
}

/**
 * What in the rows that let an execution run was not written by Oikos itself, in words; undefined
 * when every seal fits. What only reads needs no more than its target: it is judged by the gate.
 */
export function sealTrouble(
  row: ExecutionRow,
  authorization: Authorization,
  entity: FleetEntity,
  proof: SealedProof,
  seals: Sealer,
): string | undefined {
  if (!seals.fits('target', targetContent(entity), entity.seal ?? null)) {
    return `${entity.slug} is not in the fleet as the daemon wrote it`;
  }
  const mayChange = authorization.kind !== 'read_only';
  if (
    mayChange &&
    !seals.fits('execution', executionContent({ ...row, authorization }), row.seal)
  ) {
    return 'its row was not written by Oikos, or was changed since';
  }
  switch (authorization.kind) {
    case 'read_only':
      return undefined;
    case 'window':
      return windowTrouble(proof.window, seals);
    case 'approval':
      return decisionTrouble(row, proof.decision, seals);
  }
}

function windowTrouble(window: WindowProof | undefined, seals: Sealer): string | undefined {
  const fits = window && seals.fits('window', windowContent(window), window.seal);
  return fits ? undefined : 'the window it was to run under was not opened by Oikos';
}

function decisionTrouble(
  row: ExecutionRow,
  decision: DecisionProof | undefined,
  seals: Sealer,
): string | undefined {
  const fits =
    decision?.decision === 'granted' &&
    seals.fits('decision', decisionContent(decision, row), decision.seal);
  return fits ? undefined : "its approval carries no operator's word";
}
