import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  isNotNull,
  isNull,
  lte,
  min,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { CAP_PERIOD_MS, isForgotten, ruleContent, type StandingRule } from '../domain/rule.ts';
import type { Target } from '../domain/target.ts';
import type { UsedRule } from '../domain/verdict.ts';
import type { Sealer } from '../seal.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { auditEvents, executions, rules } from './schema.ts';

export type RuleRow = typeof rules.$inferSelect;

/** A row as the pure code reads it. */
export function standingRule(row: RuleRow): StandingRule {
  const { rootVolume, hostKey, ...rule } = row;
  return { ...rule, identity: { target: targetOfRule(row), rootVolume, hostKey } };
}

/**
 * The confirmed rules about one command on one target, with their uses of the last day. They stay
 * locked to the end of the transaction: two proposals that meet at the cap are counted one after
 * the other.
 */
export async function rulesAbout(
  tx: Tx,
  about: { readonly agent: string; readonly slug: string; readonly argv: readonly string[] },
  now: Date,
): Promise<UsedRule[]> {
  const rows = await tx
    .select()
    .from(rules)
    .where(
      and(
        eq(rules.agent, about.agent),
        eq(rules.targetSlug, about.slug),
        sql`${rules.argv} = ${JSON.stringify(about.argv)}::jsonb`,
        isNotNull(rules.allowedAt),
        isNull(rules.revokedAt),
      ),
    )
    .orderBy(asc(rules.number))
    .for('update');
  const used: UsedRule[] = [];
  for (const row of rows) {
    used.push({ rule: standingRule(row), uses: await usesOf(tx, row.id, now) });
  }
  return used;
}

/**
 * How many commands a rule let run in the day before `at` and since. Uses later than `at` count: who
 * waited for the lock has an older clock than who held it.
 */
export async function usesOf(tx: Db | Tx, ruleId: string, at: Date): Promise<number> {
  const [row] = await tx
    .select({ uses: count() })
    .from(executions)
    .where(
      and(
        sql`${executions.authorization} ->> 'ruleId' = ${ruleId}`,
        gt(executions.approvedAt, new Date(at.getTime() - CAP_PERIOD_MS)),
      ),
    );
  return row?.uses ?? 0;
}

/**
 * The uses that a granted command found before it, itself left out: by the ledger, where none can be
 * hidden.
 */
export async function usesBefore(
  tx: Db | Tx,
  ruleId: string,
  { id, approvedAt }: { readonly id: string; readonly approvedAt: Date },
): Promise<number> {
  const [row] = await tx
    .select({ uses: count() })
    .from(auditEvents)
    .where(
      and(
        told('rule.used', ruleId),
        gt(auditEvents.at, new Date(approvedAt.getTime() - CAP_PERIOD_MS)),
        lte(auditEvents.at, approvedAt),
        ne(auditEvents.executionId, id),
      ),
    );
  return row?.uses ?? 0;
}

/** When a rule was revoked first, by the ledger. */
export async function revokedInLedger(tx: Tx, ruleId: string): Promise<Date | null> {
  const [row] = await tx
    .select({ at: min(auditEvents.at) })
    .from(auditEvents)
    .where(told('rule.revoked', ruleId));
  return row?.at ?? null;
}

function told(kind: 'rule.used' | 'rule.revoked', ruleId: string | SQL) {
  return and(eq(auditEvents.kind, kind), sql`${auditEvents.data} ->> 'rule' = ${ruleId}`);
}

/** Notes that a rule let an execution run; the caller holds the rule's lock. */
export async function noteUse(
  tx: Tx,
  rule: StandingRule,
  use: { readonly executionId: string; readonly taskId: string; readonly now: Date },
): Promise<void> {
  const { executionId, taskId, now } = use;
  await tx.update(rules).set({ lastUsedAt: now }).where(eq(rules.id, rule.id));
  await audit(tx, {
    at: now,
    kind: 'rule.used',
    actor: `rule:R${rule.number}`,
    taskId,
    executionId,
    data: { rule: rule.id, number: rule.number, allowedBy: rule.allowedBy },
  });
}

/** Notes why a rule about this very command did not let it run. */
export async function notePassed(
  tx: Tx,
  rule: StandingRule,
  pass: {
    readonly executionId: string;
    readonly taskId: string;
    readonly now: Date;
    readonly why: string;
  },
): Promise<void> {
  const { executionId, taskId, now, why } = pass;
  await audit(tx, {
    at: now,
    kind: 'rule.passed',
    actor: `rule:R${rule.number}`,
    taskId,
    executionId,
    data: { rule: rule.id, number: rule.number, why },
  });
}

/** The last rule about an execution's command that did not let it run, and why. */
export async function passedRule(
  db: Db,
  executionId: string,
): Promise<{ number: number; why: string } | undefined> {
  const [row] = await db
    .select({ data: auditEvents.data })
    .from(auditEvents)
    .where(and(eq(auditEvents.executionId, executionId), eq(auditEvents.kind, 'rule.passed')))
    .orderBy(desc(auditEvents.seq))
    .limit(1);
  const { number, why } = row?.data ?? {};
  return typeof number === 'number' && typeof why === 'string' ? { number, why } : undefined;
}

export async function insertRule(
  tx: Tx,
  seals: Sealer,
  row: Omit<typeof rules.$inferInsert, 'seal'>,
): Promise<StandingRule> {
  const [made] = await tx.insert(rules).values(row).returning();
  if (!made) throw new Error('inserting a rule returned no row');
  const rule = standingRule(made);
  // Its number is known only now.
  await tx
    .update(rules)
    .set({ seal: sealOf(rule, seals) })
    .where(eq(rules.id, rule.id));
  return rule;
}

function sealOf(rule: StandingRule, seals: Sealer): string {
  return seals.seal('rule', ruleContent(rule));
}

/** Seals the rules with the newest key, those that an older one of ours had sealed. */
export async function renewRuleSeals(db: Db, seals: Sealer): Promise<void> {
  await db.transaction(async (tx) => {
    const live = await tx.select().from(rules).where(isNull(rules.revokedAt)).for('update');
    for (const row of live) {
      if (!isAsMade(row, seals)) continue;
      const seal = sealOf(standingRule(row), seals);
      await tx.update(rules).set({ seal }).where(eq(rules.id, row.id));
    }
  });
}

/** The row says what Oikos wrote into it. */
export function isAsMade(row: RuleRow, seals: Sealer): boolean {
  return seals.fits('rule', ruleContent(standingRule(row)), row.seal);
}

/**
 * Makers of rules take turns, so that one wish said twice at once makes one rule. Users of rules are
 * not kept waiting: they hold a row that a maker may want next, and both would wait for ever.
 */
export async function lockRules(tx: Tx): Promise<void> {
  await tx.execute(sql`lock table ${rules} in share update exclusive mode`);
}

export async function ruleOfEvent(tx: Tx, eventId: string): Promise<RuleRow | undefined> {
  const [row] = await tx.select().from(rules).where(eq(rules.eventId, eventId));
  return row;
}

export async function lockRule(tx: Tx, number: number): Promise<RuleRow | undefined> {
  const [row] = await tx.select().from(rules).where(eq(rules.number, number)).for('update');
  return row;
}

/** The rule that a message asked for or confirmed. */
export async function ruleOfYes(tx: Db | Tx, eventId: string): Promise<RuleRow | undefined> {
  const [row] = await tx
    .select()
    .from(rules)
    .where(or(eq(rules.eventId, eventId), eq(rules.confirmedEvent, eventId)));
  return row;
}

/** The operator typed the sentence of a shown rule; answers the rule as it is now. */
export async function setAllowed(
  tx: Tx,
  seals: Sealer,
  row: RuleRow,
  { eventId: confirmedEvent, now: allowedAt }: { readonly eventId: string; readonly now: Date },
): Promise<StandingRule> {
  const rule = standingRule({ ...row, allowedAt });
  const allowed = { allowedAt, confirmedEvent, seal: sealOf(rule, seals) };
  await tx.update(rules).set(allowed).where(eq(rules.id, row.id));
  return rule;
}

export async function setRevoked(
  tx: Tx,
  id: string,
  { by, now }: { readonly by: string; readonly now: Date },
): Promise<void> {
  await tx.update(rules).set({ revokedAt: now, revokedBy: by }).where(eq(rules.id, id));
}

/** The message that shows a rule came back to us by sync as number `seq`. */
export async function markOffered(tx: Tx, ruleId: string, seq: number): Promise<void> {
  const first = and(eq(rules.id, ruleId), isNull(rules.shownSeq));
  await tx.update(rules).set({ shownSeq: seq }).where(first);
}

export async function ruleById(db: Db | Tx, id: string): Promise<RuleRow | undefined> {
  const [row] = await db.select().from(rules).where(eq(rules.id, id));
  return row;
}

/**
 * The row of the rule that an execution runs by, kept from being revoked until the transaction ends.
 * Revoked is what its row or the ledger calls so.
 */
export async function holdRule(tx: Tx, id: string): Promise<RuleRow | undefined> {
  const [row] = await tx.select().from(rules).where(eq(rules.id, id)).for('share');
  return row && { ...row, revokedAt: row.revokedAt ?? (await revokedInLedger(tx, id)) };
}

/**
 * Every rule that is not revoked by its row and by the ledger, confirmed or not, kept as it is until
 * the transaction ends.
 */
export async function lockUnrevokedRules(tx: Tx): Promise<RuleRow[]> {
  const revoked = tx
    .select()
    .from(auditEvents)
    .where(told('rule.revoked', sql`${rules.id}::text`));
  return tx
    .select()
    .from(rules)
    .where(or(isNull(rules.revokedAt), notExists(revoked)))
    .orderBy(asc(rules.number))
    .for('update');
}

/** Every rule that may still let something run, in the order of their numbers. */
export async function liveRules(db: Db | Tx, now: Date): Promise<UsedRule[]> {
  const rows = await db
    .select()
    .from(rules)
    .where(and(isNotNull(rules.allowedAt), isNull(rules.revokedAt)))
    .orderBy(asc(rules.number));
  const live = rows.map(standingRule).filter((rule) => !isForgotten(rule, now));
  return Promise.all(live.map(async (rule) => ({ rule, uses: await usesOf(db, rule.id, now) })));
}

function targetOfRule({ targetKind: kind, targetSlug: slug, ...row }: RuleRow): Target {
  const name = row.targetName;
  if (kind === 'host') return { kind, slug, name };
  // No guest has this id: a rule that lost its own fits no seal and no machine.
  return { kind, slug, name, host: row.hostSlug, vmid: row.vmid ?? 0 };
}
