import { eq, like, or } from 'drizzle-orm';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { markSeen } from '../../shared/db/executions.ts';
import {
  addAssistantMessage,
  addToolResult,
  type MessageRow,
  messagesOfTask,
  takeUserMessages,
  waitingMessages,
} from '../../shared/db/messages.ts';
import { executions } from '../../shared/db/schema.ts';
import { lockTask, type TaskRow, taskById } from '../../shared/db/tasks.ts';
import { narrowTurn, type TurnRow } from '../../shared/db/turns.ts';
import { revokeForeignWindows } from '../../shared/db/windows.ts';
import type { Llm } from '../agent/llm.ts';
import { INTERRUPTED, runTurn } from '../agent/loop.ts';
import type { ToolRegistry } from '../agent/registry.ts';
import type { StoredCall, ToolResult, TurnPorts } from '../agent/turn-ports.ts';
import type { ConversationDeps } from './deps.ts';
import { endTurn } from './end-turn.ts';
import {
  closingWords,
  finalWords,
  HOUSE,
  nextOrdinal,
  outstandingCalls,
  toHistory,
} from './history.ts';
import { createProgress, type Progress } from './progress.ts';

export interface TurnDeps extends ConversationDeps {
  readonly llm: Llm;
  readonly system: string;
  readonly toolsFor: (turn: TurnRow) => ToolRegistry;
  readonly redact: (text: string) => string;
  readonly nonce: () => string;
  /** True once the process is going down: a turn is then left for the next start. */
  readonly closing: () => boolean;
}

/** The process is going down; the turn's rows say how to go on. */
export class TurnAbandoned extends Error {
  override readonly name = 'TurnAbandoned';
}

/** Runs a claimed turn to its end, or goes on with one that a former life left running. */
export async function carryOut(deps: TurnDeps, turn: TurnRow, signal: AbortSignal): Promise<void> {
  const task = await taskById(deps.db, turn.taskId);
  if (!task) throw new Error(`turn ${turn.id} has no task`);
  const rows = await messagesOfTask(deps.db, task.id);
  const spoken = finalWords(rows, turn.id) ?? closingWords(rows, turn.id, task);
  if (spoken !== undefined) {
    await endTurn(deps, turn, { status: 'answered', text: spoken });
    return;
  }
  const progress = createProgress(deps, turn, task);
  const typing = keepTyping(deps, task.roomId);
  try {
    const registry = deps.toolsFor(turn);
    const outcome = await runTurn({
      llm: deps.llm,
      system: deps.system,
      registry,
      signal,
      ports: portsOf(deps, turn, task, progress),
      outstanding: outstandingCalls(rows, turn.id),
      resumeCall: (call) => resumeCall(deps.db, registry, call),
    });
    await progress.close();
    await endTurn(deps, turn, outcome);
  } finally {
    await progress.close();
    typing.stop();
  }
}

function portsOf(deps: TurnDeps, turn: TurnRow, task: TaskRow, progress: Progress): TurnPorts {
  const guard = () => {
    if (deps.closing()) throw new TurnAbandoned('the bot is going down');
  };
  return {
    async history() {
      await takeWords(deps.db, turn);
      const rows = await messagesOfTask(deps.db, task.id);
      return toHistory(rows, turn.id, outstandingCalls(rows, turn.id));
    },
    async saveAssistant(message) {
      guard();
      return deps.db.transaction(async (tx) => {
        await lockTask(tx, task.id);
        const from = nextOrdinal(await messagesOfTask(tx, task.id), turn.id);
        const calls = message.calls.map(({ id, name, args, extra }, at) => ({
          key: `${turn.id}:${from + at}`,
          id,
          name,
          args,
          ...(extra && { extra: { ...extra } }),
        }));
        await addAssistantMessage(tx, {
          taskId: task.id,
          turnId: turn.id,
          content: deps.redact(message.content),
          calls,
          extra: message.reasoning ? { reasoning: message.reasoning } : null,
          at: await readNow(tx),
        });
        return calls;
      });
    },
    async saveToolResult(call, result) {
      guard();
      await storeResult(deps, turn, call, result);
    },
    async steering() {
      return toHistory(await takeWords(deps.db, turn), turn.id);
    },
    async spoken() {
      const waiting = await waitingMessages(deps.db, turn.taskId);
      return waiting.some(({ sender }) => sender !== HOUSE);
    },
    async stopped() {
      guard();
      const present = await taskById(deps.db, task.id);
      return (present?.stopEpoch ?? 0) > turn.stopEpoch;
    },
    onProgress: (event) => {
      if (event.type === 'call_failed') {
        deps.log.error(
          { turnId: turn.id, tool: event.call.name, err: event.error },
          'a tool threw',
        );
      }
      progress.onProgress(event);
    },
  };
}

/** What waits to be read; a stopped turn leaves what was said since to the next one. */
function takeWords(db: Db, turn: TurnRow): Promise<MessageRow[]> {
  return db.transaction(async (tx) => {
    const task = await lockTask(tx, turn.taskId);
    if (!task || task.stopEpoch > turn.stopEpoch) return [];
    const taken = await takeUserMessages(tx, turn.taskId, turn.id);
    // From here on it serves somebody who may not decide: no window for it.
    if (taken.some(({ origins }) => origins.includes('viewer'))) await narrowTurn(tx, turn.id);
    return taken;
  });
}

/** The answer, its place among the reads, and what it told, in one transaction (K4, K7). */
async function storeResult(
  deps: TurnDeps,
  turn: TurnRow,
  call: StoredCall,
  result: ToolResult,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const now = await readNow(tx);
    await lockTask(tx, turn.taskId);
    await addToolResult(tx, {
      taskId: turn.taskId,
      turnId: turn.id,
      callKey: call.key,
      callId: call.id,
      content: deps.redact(result.text),
      origins: result.origins,
      at: now,
    });
    await markSeen(tx, result.told ?? [], turn);
    await revokeForeignWindows(tx, turn.taskId, result.origins, now);
  });
}

/**
 * Answers a call that a crash left open. What it started is found by its key; a command that left
 * no row was never proposed, so nothing ran.
 */
async function resumeCall(db: Db, registry: ToolRegistry, call: StoredCall): Promise<ToolResult> {
  const tool = registry.find(call.name);
  const prepared = tool?.prepare(call.args);
  if (!(tool && prepared?.ok)) return { text: INTERRUPTED, origins: ['oikos'] };
  if (tool.kind === 'gated') {
    const [made] = await db
      .select({ id: executions.id })
      .from(executions)
      .where(or(eq(executions.callKey, call.key), like(executions.callKey, `${call.key}.%`)))
      .limit(1);
    if (!made) return { text: INTERRUPTED, origins: ['oikos'] };
  }
  return prepared.run({ call });
}

/** Clients forget the typing notice after a while; it is repeated until the turn ends. */
function keepTyping(deps: TurnDeps, roomId: string): { stop(): void } {
  const show = (on: boolean) =>
    deps.room.typing(roomId, on).catch((error: unknown) => {
      deps.log.debug({ roomId, err: error }, 'typing notice failed');
    });
  const first = show(true);
  const timer = setInterval(() => show(true), 20_000);
  return {
    stop() {
      clearInterval(timer);
      // Not waited for: a homeserver that is away must not hold up the task's next turn.
      void first.then(() => show(false));
    },
  };
}
