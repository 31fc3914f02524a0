import { isAsJudged } from '../shared/as-judged.ts';
import type { DecisionRow } from '../shared/db/approvals.ts';
import type { FleetEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import type { Authorization } from '../shared/domain/authorization.ts';
import { ruleContent, type StandingRule } from '../shared/domain/rule.ts';
import type { Sealer } from '../shared/seal.ts';
import {
  decisionContent,
  executionContent,
  type SealedWindow,
  targetContent,
  windowContent,
} from '../shared/sealed.ts';
import { parseAuthorization } from './authorization.ts';

/** A window as it must be for its seal to be looked at. */
export type WindowProof = SealedWindow & { readonly seal: string | null };
/** The yes of an approval, as it was recorded. */
export type DecisionProof = Omit<DecisionRow, 'id' | 'words'>;
/** A standing rule or pattern with the seal of its row. */
export interface RuleProof {
  readonly rule: StandingRule;
  readonly seal: string | null;
}

export interface SealedProof {
  readonly window?: WindowProof | undefined;
  readonly decision?: DecisionProof | undefined;
  readonly rule?: RuleProof | undefined;
}

/**
 * What in the rows that let an execution run was not written by Oikos itself, in words; undefined
 * when every seal fits. What only reads needs no more than its target: it is judged by the gate.
 */
export function sealTrouble(
  row: ExecutionRow,
  authorization: Authorization,
  machines: readonly FleetEntity[],
  proof: SealedProof,
  seals: Sealer,
): string | undefined {
  const forged = forgedMachine(machines, seals);
  if (forged) return forged;
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
    case 'pattern':
    case 'rule':
      return ruleTrouble(proof.rule, seals);
  }
}

/**
 * Whether what a row says of where and what it runs is what was granted. A run that is taken over is
 * looked for at no other place, and under no other name, than the one it was started with.
 */
export function isAsGranted(row: ExecutionRow, seals: Sealer): boolean {
  const authorization = parseAuthorization(row.authorization);
  if (!authorization || !isAsJudged(row)) return false;
  return seals.fits('execution', executionContent({ ...row, authorization }), row.seal);
}

/** The target of an execution and the host that is connected to for it. */
export function machinesOf(
  { targetSlug, hostSlug }: ExecutionRow,
  fleet: readonly FleetEntity[],
): FleetEntity[] {
  return fleet.filter(({ slug }) => slug === targetSlug || slug === hostSlug);
}

/** What in a proposal was not written by Oikos, in words: by such a row no host is even looked at. */
export function proposalTrouble(
  row: ExecutionRow,
  machines: readonly FleetEntity[],
  seals: Sealer,
): string | undefined {
  if (!isAsJudged(row)) return 'the command or its target is not what was judged';
  const fits = seals.fits('execution', executionContent(row), row.seal);
  return fits
    ? forgedMachine(machines, seals)
    : 'it was changed in the database since it was proposed';
}

function forgedMachine(machines: readonly FleetEntity[], seals: Sealer): string | undefined {
  const forged = machines.find(
    (machine) => !seals.fits('target', targetContent(machine), machine.seal ?? null),
  );
  return forged && `${forged.slug} is not in the fleet as the daemon wrote it`;
}

function windowTrouble(window: WindowProof | undefined, seals: Sealer): string | undefined {
  const fits = window && seals.fits('window', windowContent(window), window.seal);
  return fits ? undefined : 'the window it was to run under was not opened by Oikos';
}

function ruleTrouble(proof: RuleProof | undefined, seals: Sealer): string | undefined {
  const fits = proof && seals.fits('rule', ruleContent(proof.rule), proof.seal);
  return fits ? undefined : 'the rule it was to run by is not as an operator allowed it';
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
