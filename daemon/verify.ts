import { isAsJudged } from '../shared/as-judged.ts';
import { classifyAgain } from '../shared/classify-again.ts';
import type { FleetEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import { withoutExemptAccess } from '../shared/domain/access-exemption.ts';
import type { ApprovalStatus } from '../shared/domain/approval.ts';
import type { GateResult } from '../shared/domain/gate-result.ts';
import { objectsOf } from '../shared/domain/objects.ts';
import { isStricter } from '../shared/domain/risk.ts';
import { ruleObjection, type StandingRule } from '../shared/domain/rule.ts';
import { stricterGate } from '../shared/domain/stricter-gate.ts';
import { hostSlug, type Target } from '../shared/domain/target.ts';
import type { UsedRule } from '../shared/domain/verdict.ts';
import { isOpen, scopeAllows, type Window } from '../shared/domain/window.ts';
import { simpleArgv } from '../shared/gate/argv.ts';
import type { GateGround } from '../shared/gate-facts.ts';
import type { Sealer } from '../shared/seal.ts';
import { identityOf } from '../shared/target-facts.ts';
import { parseAuthorization } from './authorization.ts';
import {
  type DecisionProof,
  machinesOf,
  type RuleProof,
  sealTrouble,
  type WindowProof,
} from './seals.ts';

export interface StartFacts {
  /** Fleet and settings as they are now. */
  readonly ground: GateGround;
  /** The host is in this daemon's fleet file. */
  readonly hostKnown: boolean;
  /** The ledger has a start or an end of this very execution, whatever its row says. */
  readonly settledBefore: boolean;
  /** Somebody else than `oikos policy` wrote to the gate's settings, in words. */
  readonly settingsTrouble: string | undefined;
  /** The clock that everything was judged by is not to be gone by, in words. */
  readonly clockTrouble: string | undefined;
  readonly seals: Sealer;
}

/** The rows that the execution's authorization names, as they are now. */
export interface StartProof {
  readonly window?: (Window & WindowProof) | undefined;
  readonly approval?:
    | { readonly id: string; readonly executionId: string; readonly status: ApprovalStatus }
    | undefined;
  /** The yes to that approval. */
  readonly decision?: DecisionProof | undefined;
  /** With its uses by others in the day before this one was granted. */
  readonly rule?: (UsedRule & RuleProof) | undefined;
  /** Containers that the execution's task created, as `lxc/140@host:lab`. */
  readonly created?: readonly string[];
}

export type StartVerdict =
  | {
      readonly kind: 'start';
      /** The stricter of what was stored and what is found now. */
      readonly gate: GateResult;
      /** The second classification alone, for the ledger. */
      readonly present: GateResult;
      /** By which it runs: its machine must be the one that is found there. */
      readonly rule?: StandingRule | undefined;
      /** What it was made by: the files that it names are judged by the same. */
      readonly ground: GateGround;
    }
  | {
      readonly kind: 'refused' | 'expired';
      readonly reason: string;
      /** Absent when it was not even classified again. */
      readonly present?: GateResult;
    };

/**
 * K16: whether an approved execution may start now. Nothing of the queue's message is trusted: the
 * row is hashed and classified again, and what it may run by is looked up.
 */
export function verifyStart(
  row: ExecutionRow,
  facts: StartFacts,
  proof: StartProof,
  now: Date,
): StartVerdict {
  if (facts.clockTrouble) return { kind: 'refused', reason: facts.clockTrouble };
  if (row.notAfter === null || row.notAfter <= now) {
    return {
      kind: 'expired',
      reason: 'it was not started in time; ask again if it is still wanted',
    };
  }
  if (row.targetKind !== 'host' && row.vmid === null) {
    return { kind: 'refused', reason: 'its target is incomplete: there is no guest id' };
  }
  const target = targetOf(row);
  const changed = changedSince(row, target, facts);
  if (changed) return { kind: 'refused', reason: changed };
  const present = classifyAgain(row, target, facts.ground);
  const gate = stricterGate(row, present);
  const start: Start = { row, target, gate, fleet: facts.ground.fleet, proof, now };
  const missing =
    unshownGuest(row, gate) ??
    riskier(row, present) ??
    unauthorized(start) ??
    unsealed(row, facts, proof);
  if (missing) return { kind: 'refused', reason: missing, present };
  return { kind: 'start', gate, present, ground: facts.ground, rule: proof.rule?.rule };
}

interface Start {
  readonly row: ExecutionRow;
  readonly target: Target;
  readonly gate: GateResult;
  readonly fleet: readonly FleetEntity[];
  readonly proof: StartProof;
  readonly now: Date;
}

/** Whoever can write to the database cannot write a seal. */
function unsealed(
  row: ExecutionRow,
  { ground, seals }: StartFacts,
  proof: StartProof,
): string | undefined {
  const authorization = parseAuthorization(row.authorization);
  if (!authorization) return 'nothing says by what it may run';
  return sealTrouble(row, authorization, machinesOf(row, ground.fleet), proof, seals);
}

/** A guest that the command names and its card did not show was never said yes to. */
function unshownGuest(row: ExecutionRow, gate: GateResult): string | undefined {
  if (gate.risk === 'read_only' || gate.touches === 'unknown') return undefined;
  const shown = new Set(row.guests.map(({ key }) => key));
  const missing = gate.touches.find((key) => !shown.has(key));
  return missing && `it acts on ${missing}, which its card did not show`;
}

function changedSince(row: ExecutionRow, target: Target, facts: StartFacts): string | undefined {
  if (!isAsJudged(row)) return 'the command or its target is not what was judged';
  if (facts.settingsTrouble) return facts.settingsTrouble;
  if (facts.settledBefore) return 'it was started or ended before, and nothing starts twice';
  if (!facts.hostKnown) return `${row.hostSlug} is not in the daemon's fleet file`;
  const entity = facts.ground.fleet.find(({ slug }) => slug === row.targetSlug);
  if (!entity) return `${row.targetSlug} is no longer in the fleet`;
  if (!isSameTarget(target, entity)) {
    return `${row.targetSlug} is another machine than when this was proposed`;
  }
  if (row.dialect === 'bash' && entity.attributes.shell === 'posix') {
    return `${row.targetSlug} has no bash, but the command was judged for bash`;
  }
  return undefined;
}

function isSameTarget(target: Target, entity: FleetEntity): boolean {
  if (target.kind !== entity.type || target.name !== entity.name) return false;
  if (target.kind === 'host') return true;
  const { host, vmid } = entity.attributes;
  return host !== undefined && hostSlug(host) === target.host && vmid === target.vmid;
}

function riskier(row: ExecutionRow, gate: GateResult): string | undefined {
  if (isStricter(gate.risk, row.risk)) {
    return `it counts as ${gate.risk} now, but was judged ${row.risk}`;
  }
  const flags = gate.flags.filter((flag) => !row.gate.flags.includes(flag));
  return flags.length > 0 ? `the gate has a new objection: ${flags.join(', ')}` : undefined;
}

function unauthorized(start: Start): string | undefined {
  const { row, gate, proof } = start;
  const authorization = parseAuthorization(row.authorization);
  switch (authorization?.kind) {
    case 'read_only':
      return gate.risk === 'read_only' ? undefined : `it needs an approval: it is ${gate.risk}`;
    case 'window':
      return proof.window?.id === authorization.windowId
        ? windowMissing(start, proof.window)
        : 'the window it was to run under does not exist';
    case 'approval': {
      const { approval } = proof;
      const granted =
        approval?.id === authorization.approvalId &&
        approval.executionId === row.id &&
        approval.status === 'granted';
      return granted ? undefined : 'its approval is not there, or was taken back';
    }
    case 'pattern':
    case 'rule': {
      const { rule } = proof;
      return rule?.rule.id === authorization.ruleId && rule.rule.kind === authorization.kind
        ? ruleMissing(start, rule)
        : 'the rule it was to run by does not exist';
    }
    case undefined:
      return 'nothing says by what it may run';
  }
}

function ruleMissing({ row, target, gate, fleet, now }: Start, { rule, uses }: UsedRule) {
  const { agent, command, dialect } = row;
  const argv = simpleArgv(command, dialect);
  const ask = { agent, gate, argv, identity: identityOf(target, fleet) };
  return ruleObjection(rule, ask, uses, now);
}

function windowMissing(start: Start, window: Window): string | undefined {
  const { row, target, proof, now } = start;
  const gate = withoutExemptAccess(start.gate, target, proof.created ?? []);
  if (!isOpen(window, now)) return 'the window it was to run under is closed';
  if (row.proposedAt < window.openedAt) return 'it was proposed before the window opened';
  const { agent, taskId } = row;
  const allowed = scopeAllows(window, { agent, taskId, gate, objects: objectsOf(gate, target) });
  return allowed ? undefined : 'the window it was to run under does not cover it';
}
