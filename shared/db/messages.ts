import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Origin } from '../domain/origin.ts';
import { storableText, storableValue } from '../storable.ts';
import type { Db, Tx } from './client.ts';
import { agentSessions, type MessageExtra, messages, type StoredToolCall } from './schema.ts';

export type MessageRow = typeof messages.$inferSelect;

export async function messagesOfTask(db: Db | Tx, taskId: string): Promise<MessageRow[]> {
  return db.select().from(messages).where(eq(messages.taskId, taskId)).orderBy(asc(messages.seq));
}

/** What a person said, or a note of the house; taken by the next turn or the running one. */
export async function addUserMessage(
  tx: Tx,
  message: {
    taskId: string;
    content: string;
    at: Date;
    sender: string;
    eventId?: string | undefined;
    /** Given for notes that carry a command's output: they count as reads (K4). */
    origins?: readonly Origin[];
    /** Given for a note that waits for no turn of its own: it is read with the next one. */
    turnId?: string | undefined;
  },
): Promise<void> {
  const { origins, eventId, turnId, ...rest } = message;
  const readSeq = origins ? await nextReadSeq(tx, message.taskId) : null;
  await tx.insert(messages).values({
    ...rest,
    content: storableText(rest.content),
    role: 'user',
    turnId: turnId ?? null,
    eventId: eventId ?? null,
    origins: origins ? [...origins] : [],
    readSeq,
  });
}

/** Gives the waiting user messages of a task to a turn; answers what was taken, in order. */
export async function takeUserMessages(
  tx: Tx | Db,
  taskId: string,
  turnId: string,
): Promise<MessageRow[]> {
  const taken = await tx
    .update(messages)
    .set({ turnId })
    .where(and(eq(messages.taskId, taskId), eq(messages.role, 'user'), isNull(messages.turnId)))
    .returning();
  return taken.toSorted((a, b) => a.seq - b.seq);
}

export async function hasWaitingMessages(tx: Tx, taskId: string): Promise<boolean> {
  return (await waitingMessages(tx, taskId)).length > 0;
}

/** What was said and no turn has read yet, in order. */
export async function waitingMessages(tx: Db | Tx, taskId: string): Promise<MessageRow[]> {
  return tx
    .select()
    .from(messages)
    .where(and(eq(messages.taskId, taskId), eq(messages.role, 'user'), isNull(messages.turnId)))
    .orderBy(asc(messages.seq));
}

/** Stored before any of its calls runs. */
export async function addAssistantMessage(
  tx: Tx,
  message: {
    taskId: string;
    turnId: string;
    content: string;
    calls: readonly StoredToolCall[];
    extra: MessageExtra | null;
    at: Date;
  },
): Promise<void> {
  const { content, calls, extra } = storableValue(message);
  await tx
    .insert(messages)
    .values({ ...message, role: 'assistant', content, extra, calls: [...calls] });
}

/** A tool's answer with its place in the order of reads and its origins (K4). */
export async function addToolResult(
  tx: Tx,
  result: {
    taskId: string;
    turnId: string;
    callKey: string;
    callId: string;
    content: string;
    origins: readonly Origin[];
    at: Date;
  },
): Promise<void> {
  await tx
    .insert(messages)
    .values({
      ...result,
      content: storableText(result.content),
      role: 'tool',
      origins: [...result.origins],
      readSeq: await nextReadSeq(tx, result.taskId),
    })
    .onConflictDoNothing({ target: messages.callKey });
}

async function nextReadSeq(tx: Tx, taskId: string): Promise<number> {
  const [row] = await tx
    .update(agentSessions)
    .set({ readSeq: sql`${agentSessions.readSeq} + 1` })
    .where(eq(agentSessions.id, taskId))
    .returning({ readSeq: agentSessions.readSeq });
  if (!row) throw new Error(`no task ${taskId}`);
  return row.readSeq;
}
