import { eq } from 'drizzle-orm';
import { canonicalJson } from './canonical-json.ts';
import { audit } from './db/audit.ts';
import type { Db, Tx } from './db/client.ts';
import { readNow } from './db/clock.ts';
import type { ExecutionRow } from './db/executions.ts';
import { readGateGround } from './db/gate-ground.ts';
import {
  insertRule,
  isAsMade,
  lockRule,
  lockRules,
  lockUnrevokedRules,
  type RuleRow,
  revokedInLedger,
  ruleOfEvent,
  ruleOfYes,
  rulesAbout,
  setAllowed,
  setRevoked,
  standingRule,
} from './db/rules.ts';
import { executions } from './db/schema.ts';
import { targetOf } from './db/windows.ts';
import type { GateResult } from './domain/gate-result.ts';
import {
  type Identity,
  isForgotten,
  neverByRule,
  RULE_OFFER_LIFE_MS,
  type RuleKind,
  ruleObjection,
  type StandingRule,
} from './domain/rule.ts';
import { stricterGate } from './domain/stricter-gate.ts';
import { describeTarget, hostOf, resolveTarget, type Target } from './domain/target.ts';
import { argvText, simpleArgv } from './gate/argv.ts';
import { classify } from './gate/classify.ts';
import { factsOf } from './gate-facts.ts';
import type { Sealer } from './seal.ts';
import { identityOf } from './target-facts.ts';

export interface RuleDeps {
  readonly db: Db;
  /** Exact membership in the operators' list; an empty list answers false for everybody. */
  readonly isOperator: (userId: string) => boolean;
  readonly seals: Sealer;
}

/** Who wants something always allowed, where, and how often a day at most. */
export interface RuleWish {
  readonly agent: string;
  readonly roomId: string;
  readonly by: string;
  readonly eventId: string;
  readonly dailyCap: number;
}

export type RuleAnswer =
  | { readonly kind: 'allowed'; readonly rule: StandingRule }
  /** Shown to the operator; counts once they type its sentence. */
  | { readonly kind: 'offered'; readonly rule: StandingRule }
  | { readonly kind: 'already'; readonly rule: StandingRule }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * What an operator wants always allowed: a card that ran, or a command on a target. What is
 * reversible_low becomes a pattern at once, a config_mutation a rule that waits for its sentence.
 */
export function allowAlways(
  deps: RuleDeps,
  wish: RuleWish,
  what: { readonly executionId: string } | { readonly command: string; readonly target: string },
): Promise<RuleAnswer> {
  return answered(deps, wish, async (tx, now) => {
    await lockRules(tx);
    const known = await ruleOfEvent(tx, wish.eventId);
    if (known) return { kind: known.allowedAt ? 'allowed' : 'offered', rule: standingRule(known) };
    const candidate =
      'executionId' in what
        ? await candidateOfCard(tx, what.executionId)
        : await candidateOfWords(tx, what.command, what.target);
    return 'reason' in candidate ? candidate : make(tx, deps.seals, wish, candidate, now);
  });
}

/** The sentence of a shown rule, as it came to the room. */
export interface RuleSentence {
  readonly number: number;
  readonly by: string;
  readonly roomId: string;
  readonly eventId: string;
  /** Our own inbox number of the sentence. */
  readonly seq: number;
}

/** The sentence of a shown rule, typed by the operator that it was shown to, after it was shown. */
export function confirmRule(deps: RuleDeps, said: RuleSentence): Promise<RuleAnswer> {
  return answered(deps, said, async (tx, now) => {
    await lockRules(tx);
    const row = await lockRule(tx, said.number);
    if (!row || row.roomId !== said.roomId) {
      return refused(`no R${said.number} waits in this room`);
    }
    if (row.allowedAt && !row.revokedAt) return { kind: 'already', rule: standingRule(row) };
    const unfit = unconfirmable(row, said, now);
    if (unfit) return refused(unfit);
    const same = await sameRule(tx, standingRule(row), now);
    if (same) return { kind: 'already', rule: same };
    if (!isAsMade(row, deps.seals))
      return refused(`R${said.number} was changed since it was shown`);
    const rule = await setAllowed(tx, deps.seals, row, { eventId: said.eventId, now });
    await auditRule(tx, 'rule.allowed', rule, { by: said.by, eventId: said.eventId, now });
    return { kind: 'allowed', rule };
  });
}

/** Why this sentence cannot make a shown rule count, in words. */
function unconfirmable(row: RuleRow, said: RuleSentence, now: Date): string | undefined {
  const name = `R${row.number}`;
  if (row.revokedAt) return `${name} was revoked`;
  if (row.allowedBy !== said.by) {
    return `${name} was shown to ${row.allowedBy}, who alone can confirm it`;
  }
  if (row.createdAt.getTime() + RULE_OFFER_LIFE_MS <= now.getTime()) {
    return `${name} was shown too long ago; ask for it again`;
  }
  if (row.shownSeq === null || row.shownSeq >= said.seq) {
    return `that came before ${name} was shown; read it and type the sentence again`;
  }
  return undefined;
}

/** A rule that counts and allows just this: a second one would double its cap. */
async function sameRule(
  tx: Tx,
  { agent, argv, identity }: StandingRule,
  now: Date,
): Promise<StandingRule | undefined> {
  const alike = await rulesAbout(tx, { agent, slug: identity.target.slug, argv }, now);
  const machine = canonicalJson(identity);
  return alike
    .map(({ rule }) => rule)
    .find((rule) => !isForgotten(rule, now) && canonicalJson(rule.identity) === machine);
}

export type RevokeAnswer =
  | { readonly kind: 'revoked' | 'already'; readonly rule: StandingRule }
  | { readonly kind: 'unknown' };

/** Ends a rule, confirmed or not. What it let start goes on; what has not started is refused. */
export function revokeRule(
  db: Db,
  { number, by, eventId }: { number: number; by: string; eventId?: string },
): Promise<RevokeAnswer> {
  return db.transaction(async (tx) => {
    const row = await lockRule(tx, number);
    if (!row) return { kind: 'unknown' };
    // A row that somebody else ended can be put back: only the ledger keeps it revoked for good.
    if (row.revokedAt && (await revokedInLedger(tx, row.id))) {
      return { kind: 'already', rule: standingRule(row) };
    }
    const rule = await revoke(tx, row, { by, eventId, now: await readNow(tx) });
    return { kind: 'revoked', rule };
  });
}

/** Ends all rules, confirmed or not; says how many. */
export async function revokeAllRules(
  tx: Tx,
  change: { readonly by: string; readonly now: Date },
): Promise<number> {
  const rows = await lockUnrevokedRules(tx);
  for (const row of rows) await revoke(tx, row, change);
  return rows.length;
}

async function revoke(
  tx: Tx,
  row: RuleRow,
  change: { readonly by: string; readonly eventId?: string | undefined; readonly now: Date },
): Promise<StandingRule> {
  await setRevoked(tx, row.id, change);
  const rule = standingRule({ ...row, revokedAt: change.now });
  await auditRule(tx, 'rule.revoked', rule, change);
  return rule;
}

/** The message that asked for a rule or confirmed it was edited or removed: the rule goes too (R0). */
export async function revokeRuleOfEvent(
  db: Db,
  { of, by }: { readonly of: string; readonly by: string },
): Promise<StandingRule | undefined> {
  const row = await ruleOfYes(db, of);
  if (!row) return undefined;
  const answer = await revokeRule(db, { number: row.number, by, eventId: of });
  return answer.kind === 'revoked' ? answer.rule : undefined;
}

interface Candidate {
  readonly kind: RuleKind;
  readonly argv: readonly string[];
  readonly gate: GateResult;
  readonly identity: Identity;
  readonly executionId: string | null;
}

type Refusal = Extract<RuleAnswer, { kind: 'refused' }>;

async function candidateOfCard(tx: Tx, executionId: string): Promise<Candidate | Refusal> {
  const [row] = await tx.select().from(executions).where(eq(executions.id, executionId));
  if (!row) return refused('that card is not known any more');
  const unfit = unfitCard(row);
  if (unfit) return refused(unfit);
  const then = targetOf(row);
  const found = await candidateOf(tx, row.command, then.slug, row);
  if ('reason' in found) return found;
  const now = found.identity.target;
  return describeTarget(then) === describeTarget(now)
    ? found
    : refused(`${then.slug} is another machine now than when it ran`);
}

/** Only what is known to end well may be repeated without a look. */
function unfitCard(row: ExecutionRow): string | undefined {
  const name = `#${row.number}`;
  switch (row.status) {
    case 'completed':
      return undefined;
    case 'pending_approval':
      return `${name} still waits for its own answer; always allow it once it ran`;
    case 'proposed':
    case 'approved':
    case 'running':
      return `${name} has not ended yet; always allow it once it ran`;
    case 'failed':
    case 'lost':
    case 'denied':
    case 'expired':
    case 'cancelled':
    case 'refused':
      return `${name} is ${row.status}; only what ran to a good end can be always allowed`;
  }
}

async function candidateOfWords(
  tx: Tx,
  command: string,
  target: string,
): Promise<Candidate | Refusal> {
  const found = await candidateOf(tx, command, target, undefined);
  if ('reason' in found || found.kind === 'rule') return found;
  return refused(
    'it is reversible_low: let it run once with your yes, then say always allow with its number',
  );
}

async function candidateOf(
  tx: Tx,
  command: string,
  slug: string,
  row: ExecutionRow | undefined,
): Promise<Candidate | Refusal> {
  const ground = await readGateGround(tx);
  const { fleet } = ground;
  const resolved = resolveTarget(slug, fleet);
  if (!resolved.ok) return refused(resolved.reason);
  const { target } = resolved;
  const facts = factsOf(target, ground);
  const argv = simpleArgv(command, facts.shell);
  if (!argv) return refused('it is more than one simple command with all its words written out');
  if (!isShownWhole(argv)) return refused('it is too long to be shown whole in one line');
  const present = classify({ command, facts, policy: ground.settings.policy });
  const gate = row ? stricterGate(row, present) : present;
  if (gate.risk === 'read_only') return refused('it only reads, so it runs at once anyway');
  const kind = gate.risk === 'reversible_low' ? 'pattern' : 'rule';
  const never = neverByRule(kind, gate, target);
  if (never) return refused(never);
  const identity = identityOf(target, fleet);
  return { kind, argv, gate, identity, executionId: row?.id ?? null };
}

/** Longer than that is more than a line that is read to its end. */
const MAX_RULE_TEXT = 400;

/** A rule is confirmed by what its line shows: all of it must be there. */
function isShownWhole(argv: readonly string[]): boolean {
  const text = argvText(argv);
  return text.length <= MAX_RULE_TEXT && !/\p{Cc}/u.test(text);
}

async function make(
  tx: Tx,
  seals: Sealer,
  wish: RuleWish,
  { kind, argv, gate, identity, executionId }: Candidate,
  now: Date,
): Promise<RuleAnswer> {
  const { agent } = wish;
  const { target, rootVolume, hostKey } = identity;
  const alike = await rulesAbout(tx, { agent, slug: target.slug, argv }, now);
  const same = alike.find(
    // Its uses are no reason to have it twice.
    ({ rule }) => ruleObjection(rule, { agent, gate, argv, identity }, 0, now) === undefined,
  );
  if (same) return { kind: 'already', rule: same.rule };
  const rule = await insertRule(tx, seals, {
    kind,
    agent,
    argv,
    roomId: wish.roomId,
    eventId: wish.eventId,
    executionId,
    ...columnsOf(target),
    rootVolume,
    hostKey,
    dailyCap: wish.dailyCap,
    allowedBy: wish.by,
    allowedAt: kind === 'pattern' ? now : null,
    createdAt: now,
  });
  const change = { by: wish.by, eventId: wish.eventId, executionId, now };
  await auditRule(tx, kind === 'pattern' ? 'rule.allowed' : 'rule.offered', rule, change);
  return { kind: kind === 'pattern' ? 'allowed' : 'offered', rule };
}

function columnsOf(target: Target) {
  const { kind: targetKind, slug: targetSlug, name: targetName } = target;
  const vmid = target.kind === 'host' ? null : target.vmid;
  return { targetKind, targetSlug, targetName, hostSlug: hostOf(target), vmid };
}

/** One transaction; who may not allow is turned away, and every refusal is kept in the ledger. */
function answered(
  { db, isOperator }: RuleDeps,
  { by, eventId }: { readonly by: string; readonly eventId: string },
  act: (tx: Tx, now: Date) => Promise<RuleAnswer>,
): Promise<RuleAnswer> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const answer = isOperator(by)
      ? await act(tx, now)
      : refused('only an operator can always allow something');
    if (answer.kind === 'refused') {
      const { reason } = answer;
      await audit(tx, { at: now, kind: 'rule.refused', actor: by, eventId, data: { reason } });
    }
    return answer;
  });
}

async function auditRule(
  tx: Tx,
  kind: string,
  rule: StandingRule,
  change: {
    readonly by: string;
    readonly eventId?: string | undefined;
    readonly executionId?: string | null;
    readonly now: Date;
  },
): Promise<void> {
  const { id, number, argv, identity, dailyCap } = rule;
  await audit(tx, {
    at: change.now,
    kind,
    actor: change.by,
    eventId: change.eventId ?? null,
    executionId: change.executionId ?? null,
    data: { rule: id, number, kind: rule.kind, argv, identity, dailyCap },
  });
}

function refused(reason: string): Refusal {
  return { kind: 'refused', reason };
}
