import { asc, sql } from 'drizzle-orm';
import { classifyAgain } from '../../shared/classify-again.ts';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { readGateGround } from '../../shared/db/gate-ground.ts';
import { executions } from '../../shared/db/schema.ts';
import { targetOf } from '../../shared/db/windows.ts';
import type { GateFlag, GateResult } from '../../shared/domain/gate-result.ts';
import { isStricter, type RiskClass } from '../../shared/domain/risk.ts';
import { POLICY_VERSION } from '../../shared/gate/classify.ts';

/** How a stored execution would be judged now, where that differs. */
export interface ReplayDifference {
  /** Its card's number; plain reads have none. */
  readonly number: number | null;
  readonly target: string;
  readonly command: string;
  readonly proposedAt: Date;
  readonly before: { readonly risk: RiskClass; readonly flags: readonly GateFlag[] };
  readonly now: { readonly risk: RiskClass; readonly flags: readonly GateFlag[] };
  /** Of the strictest part, as it is judged now. */
  readonly why: string;
}

export interface Replay {
  /** Executions that were judged again. */
  readonly count: number;
  /** Stricter ones first, then those with new flags, milder ones, and fewer flags; each oldest first. */
  readonly differences: readonly ReplayDifference[];
}

const PAGE = 500;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const MAX_SHOWN = 100;

/** Judges what was proposed in the last `sinceMs` again, by the present rules, settings and facts. */
export async function replayGate(db: Db, sinceMs: number): Promise<Replay> {
  const ground = await readGateGround(db);
  const since = new Date((await readNow(db)).getTime() - sinceMs);
  const differences: ReplayDifference[] = [];
  let count = 0;
  for await (const row of proposedSince(db, since)) {
    const present = classifyAgain(row, targetOf(row), ground);
    count += 1;
    if (differs(row.gate, row.risk, present)) differences.push(differenceOf(row, present));
  }
  return { count, differences: differences.toSorted((a, b) => rankOf(a) - rankOf(b)) };
}

/** Oldest first, a page at a time: a ledger of years does not fit into memory. */
async function* proposedSince(db: Db, since: Date): AsyncGenerator<ExecutionRow> {
  let after: Pick<ExecutionRow, 'proposedAt' | 'id'> = { proposedAt: since, id: LOWEST_ID };
  for (;;) {
    const rows = await db
      .select()
      .from(executions)
      .where(
        sql`(${executions.proposedAt}, ${executions.id}) > (${after.proposedAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
      )
      .orderBy(asc(executions.proposedAt), asc(executions.id))
      .limit(PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last;
  }
}

function differs(gate: GateResult, risk: RiskClass, present: GateResult): boolean {
  const changed = (one: GateResult, other: GateResult) =>
    one.flags.some((flag) => !other.flags.includes(flag));
  return risk !== present.risk || changed(gate, present) || changed(present, gate);
}

function differenceOf(row: ExecutionRow, present: GateResult): ReplayDifference {
  return {
    number: row.number,
    target: row.targetSlug,
    command: row.command,
    proposedAt: row.proposedAt,
    before: { risk: row.risk, flags: row.gate.flags },
    now: { risk: present.risk, flags: present.flags },
    why: present.parts[0]?.why ?? '',
  };
}

function rankOf({ before, now }: ReplayDifference): number {
  if (isStricter(now.risk, before.risk)) return 0;
  if (isStricter(before.risk, now.risk)) return 2;
  return now.flags.some((flag) => !before.flags.includes(flag)) ? 1 : 3;
}

const DAY_MS = 24 * 60 * 60_000;
const UNITS: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };

/** `12h`, `30d` or `4w` in milliseconds; undefined for anything else. */
export function spanMs(written: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(written) ?? [];
  const unitMs = UNITS[unit ?? ''];
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs;
}

/** The replay for people: one line for each difference, then what was looked at. */
export function replayLines({ count, differences }: Replay): string[] {
  const lines = differences.map(({ number, target, command, before, now, why }) => {
    const name = number === null ? '–' : `#${number}`;
    const text = command.replace(/\s+/g, ' ');
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    return `${name}  ${target}  ${verdictText(before)} → ${verdictText(now)}  ${shown}  (${why})`;
  });
  const raised = differences.filter(({ before, now }) => isStricter(now.risk, before.risk)).length;
  const milder = differences.filter(({ before, now }) => isStricter(before.risk, now.risk)).length;
  const other = differences.length - raised - milder;
  return [
    ...lines,
    `${count} judged again by rules ${POLICY_VERSION}: ${raised} stricter, ${milder} milder, ${other} with other flags.`,
  ];
}

function verdictText({ risk, flags }: ReplayDifference['before']): string {
  return flags.length === 0 ? risk : `${risk} [${flags.join(' ')}]`;
}
