import {
  and,
  asc,
  count,
  eq,
  gt,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { CAP_PERIOD_MS, isForgotten, type StandingRule } from '../domain/rule.ts';
import type { Target } from '../domain/target.ts';
import type { UsedRule } from '../domain/verdict.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { executions, rules } from './schema.ts';

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
  return countUses(tx, ruleId, at, undefined);
}

/** The uses that a granted command found before it, itself left out. */
export async function usesBefore(
  tx: Tx,
  ruleId: string,
  { id, approvedAt }: { readonly id: string; readonly approvedAt: Date },
): Promise<number> {
  return countUses(
    tx,
    ruleId,
    approvedAt,
    and(lte(executions.approvedAt, approvedAt), ne(executions.id, id)),
  );
}

async function countUses(
  tx: Db | Tx,
  ruleId: string,
  at: Date,
  more: SQL | undefined,
): Promise<number> {
  const [row] = await tx
    .select({ uses: count() })
    .from(executions)
    .where(
      and(
        sql`${executions.authorization} ->> 'ruleId' = ${ruleId}`,
        gt(executions.approvedAt, new Date(at.getTime() - CAP_PERIOD_MS)),
        more,
      ),
    );
  return row?.uses ?? 0;
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

export async function insertRule(tx: Tx, row: typeof rules.$inferInsert): Promise<StandingRule> {
  const [made] = await tx.insert(rules).values(row).returning();
  if (!made) throw new Error('inserting a rule returned no row');
  return standingRule(made);
}

/** Makers of rules take turns, so that one wish said twice at once makes one rule. */
export async function lockRules(tx: Tx): Promise<void> {
  await tx.execute(sql`lock table ${rules} in share row exclusive mode`);
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

export async function setAllowed(
  tx: Tx,
  id: string,
  { eventId: confirmedEvent, now }: { readonly eventId: string; readonly now: Date },
): Promise<void> {
  await tx.update(rules).set({ allowedAt: now, confirmedEvent }).where(eq(rules.id, id));
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

/** The rule that an execution runs by, kept from being revoked until the transaction ends. */
export async function holdRule(tx: Tx, id: string): Promise<StandingRule | undefined> {
  const [row] = await tx.select().from(rules).where(eq(rules.id, id)).for('share');
  return row && standingRule(row);
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
  if (row.vmid === null) throw new Error(`rule R${row.number} on ${slug} has no vmid`);
  return { kind, slug, name, host: row.hostSlug, vmid: row.vmid };
}
