import { and, asc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { type ExecutionRow, markSeen } from '../../shared/db/executions.ts';
import { addUserMessage } from '../../shared/db/messages.ts';
import { readOutput } from '../../shared/db/read-output.ts';
import { agentSessions, executions, turns } from '../../shared/db/schema.ts';
import { lockTask, type TaskRow } from '../../shared/db/tasks.ts';
import { latestTurn, liveTurn, queueTurn, type TurnRow } from '../../shared/db/turns.ts';
import { revokeForeignWindows } from '../../shared/db/windows.ts';
import { EXECUTION_STATUSES, isDueForContinuation } from '../../shared/domain/execution.ts';
import type { Origin } from '../../shared/domain/origin.ts';
import { MAX_CONTINUATIONS } from '../../shared/domain/task.ts';
import { eventMessage } from '../agent/prompt.ts';
import { headline, outputOrigin, outputText } from '../agent/tools/execution-text.ts';
import { HOUSE } from './history.ts';
import { noteForNextTurn } from './notes.ts';
import { isOpen } from './places.ts';
import { say } from './speak.ts';

export interface ContinuationDeps {
  readonly db: Db;
  readonly redact: (text: string) => string;
  readonly nonce: () => string;
}

/** Ends that call the agent again (K7); a policy refusal was told to it on the spot. */
const isDue = and(
  isNull(executions.seenInTurn),
  // A batch is told as one: its first end waits for the last.
  sql`not exists (select 1 from executions other where other.batch_id = ${executions.batchId}
    and other.status in ('proposed', 'approved', 'running'))`,
  or(
    inArray(executions.status, EXECUTION_STATUSES.filter(isDueForContinuation)),
    // It was told that this runs; a card that nobody answered is no news to it.
    and(eq(executions.status, 'expired'), isNotNull(executions.approvedAt)),
  ),
);

/**
 * Calls the agent again with every end that it has not heard of, all in one turn. Does nothing
 * while a turn of the task runs: the end of that turn calls this again.
 */
export function scheduleContinuation(deps: ContinuationDeps, taskId: string): Promise<void> {
  return deps.db.transaction(async (tx) => {
    const task = await lockTask(tx, taskId);
    if (task) await continueTask(deps, tx, task);
  });
}

/** The same inside the caller's transaction, which holds the task's lock. */
export async function continueTask(deps: ContinuationDeps, tx: Tx, task: TaskRow): Promise<void> {
  await noteExpired(tx, task);
  const live = await liveTurn(tx, task.id);
  if (live?.status === 'running') return;
  const due = await dueExecutions(tx, task.id);
  if (due.length === 0) return;
  const now = await readNow(tx);
  const parents = await parentTurns(tx, due);
  const quiet = !live && (wasStopped(parents, task) || areCommands(parents));
  if (!(live || quiet) && task.continuations >= MAX_CONTINUATIONS) {
    await giveUp(tx, task, now);
    return;
  }
  const events = [];
  for (const row of due) events.push(await eventOf(deps, tx, row));
  const note = {
    taskId: task.id,
    content: eventMessage(events),
    at: now,
    origins: originsOf(due, events),
  };
  const turn = quiet ? parents[0] : (live ?? (await queueFor(tx, task, { due, parents, now })));
  if (quiet) await noteForNextTurn(tx, note);
  else await addUserMessage(tx, { ...note, sender: HOUSE });
  const ids = due.map(({ id }) => id);
  if (turn) await markSeen(tx, ids, turn);
  await revokeForeignWindows(tx, task.id, note.origins, now);
}

/** A card that nobody answered calls nobody again: the agent reads of it with the next turn (K7). */
async function noteExpired(tx: Tx, task: TaskRow): Promise<void> {
  const rows = await tx
    .select()
    .from(executions)
    .where(
      and(
        eq(executions.taskId, task.id),
        eq(executions.status, 'expired'),
        isNull(executions.approvedAt),
        isNull(executions.seenInTurn),
      ),
    );
  const turn = await latestTurn(tx, task.id);
  if (rows.length === 0 || !turn) return;
  const content = eventMessage(rows.map((row) => ({ line: headline(row) })));
  await noteForNextTurn(tx, { taskId: task.id, content, at: await readNow(tx) });
  const ids = rows.map(({ id }) => id);
  await markSeen(tx, ids, turn);
}

/** Stop ended the chain of turns that these ends belong to: nobody goes on with it unasked. */
function wasStopped(parents: readonly TurnRow[], task: TaskRow): boolean {
  return parents.length > 0 && parents.every(({ stopEpoch }) => stopEpoch < task.stopEpoch);
}

/** An operator's own commands: the agent hears of their ends when it is next asked something. */
function areCommands(parents: readonly TurnRow[]): boolean {
  return parents.length > 0 && parents.every(({ trigger }) => trigger === 'command');
}

/** Tasks with ends that nobody was told of, e.g. after a restart. */
export async function tasksWithNews(db: Db): Promise<string[]> {
  const rows = await db.selectDistinct({ taskId: executions.taskId }).from(executions).where(isDue);
  return rows.map(({ taskId }) => taskId);
}

async function dueExecutions(tx: Tx, taskId: string): Promise<ExecutionRow[]> {
  return tx
    .select()
    .from(executions)
    .where(and(eq(executions.taskId, taskId), isDue))
    .orderBy(asc(executions.endedAt))
    .limit(20);
}

interface Chain {
  readonly due: readonly ExecutionRow[];
  readonly parents: readonly TurnRow[];
  readonly now: Date;
}

async function queueFor(tx: Tx, task: TaskRow, { due, parents, now }: Chain): Promise<TurnRow> {
  await tx
    .update(agentSessions)
    .set({
      continuations: task.continuations + 1,
      lastActiveAt: now,
      // A closed task stays closed: its place may have another one by now.
      ...(isOpen(task) && { status: 'open' }),
    })
    .where(eq(agentSessions.id, task.id));
  return queueTurn(tx, {
    taskId: task.id,
    trigger: due.some(({ status }) => status === 'denied') ? 'decision' : 'continuation',
    requestedBy: due[0]?.requestedBy ?? HOUSE,
    // A chain keeps the rights of whoever began it.
    byOperator: parents.length > 0 && parents.every(({ byOperator }) => byOperator),
    stopEpoch: task.stopEpoch,
    sourceEvent: parents[0]?.sourceEvent ?? null,
    now,
  });
}

async function parentTurns(tx: Tx, due: readonly ExecutionRow[]): Promise<TurnRow[]> {
  const ids = due.flatMap(({ turnId }) => turnId ?? []);
  if (ids.length === 0) return [];
  return tx.select().from(turns).where(inArray(turns.id, ids));
}

interface DueEvent {
  readonly line: string;
  readonly output?: string;
}

async function eventOf(deps: ContinuationDeps, tx: Tx, row: ExecutionRow): Promise<DueEvent> {
  const output = await readOutput(tx, row.id);
  const line = deps.redact(`${headline(row)}${row.purpose ? ` — purpose: ${row.purpose}` : ''}`);
  if (output.both === '') return { line };
  return { line, output: outputText(row, output, { nonce: deps.nonce(), redact: deps.redact }) };
}

function originsOf(due: readonly ExecutionRow[], events: readonly DueEvent[]): Origin[] {
  const origins = due.map((row, at) => (events[at]?.output ? outputOrigin(row) : 'oikos'));
  return [...new Set(origins)];
}

async function giveUp(tx: Tx, task: TaskRow, now: Date): Promise<void> {
  // Said once; the operator's next words set the count back.
  if (task.continuations > MAX_CONTINUATIONS) return;
  await say(tx, {
    roomId: task.roomId,
    taskId: task.id,
    text: `I was called ${MAX_CONTINUATIONS} times in a row without a word from you, so I stop here. Say how to go on.`,
    now,
  });
  await tx
    .update(agentSessions)
    .set({ continuations: MAX_CONTINUATIONS + 1, ...(isOpen(task) && { status: 'waiting' }) })
    .where(eq(agentSessions.id, task.id));
}
