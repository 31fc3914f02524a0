import type { MessageRow } from '../../shared/db/messages.ts';
import type { MessageExtra, StoredToolCall } from '../../shared/db/schema.ts';
import { INTERRUPTED } from '../agent/loop.ts';
import type { AssistantMessage, ChatMessage } from '../agent/messages.ts';
import { openingMessage } from '../agent/prompt.ts';
import type { StoredCall } from '../agent/turn-ports.ts';
import { shrinkForHistory } from '../agent/untrusted.ts';

/** Who wrote a user-role message that no person wrote. */
export const HOUSE = 'oikos';

/**
 * A task's rows as the model reads them: each call is followed by its answer, whatever was said
 * meanwhile comes after, and results of earlier turns are cut short. Calls named in `outstanding`
 * stay unanswered; any other call without a result was interrupted.
 */
export function toHistory(
  rows: readonly MessageRow[],
  turnId: string,
  outstanding: readonly StoredCall[] = [],
): ChatMessage[] {
  const results = new Map(
    rows.flatMap((row) => (row.callKey ? [[row.callKey, row] as const] : [])),
  );
  const open = new Set(outstanding.map(({ key }) => key));
  return rows.flatMap((row): ChatMessage[] => {
    if (row.role === 'user') return [{ role: 'user', content: userText(row) }];
    if (row.role === 'tool') return [];
    const answers = (row.calls ?? [])
      .filter(({ key }) => !open.has(key))
      .map(
        (call): ChatMessage => ({
          role: 'tool',
          callId: call.id,
          content: resultText(results.get(call.key), turnId),
        }),
      );
    return [assistantMessage(row), ...answers];
  });
}

/** Calls of the turn's last message that have no stored answer: a crash came between. */
export function outstandingCalls(rows: readonly MessageRow[], turnId: string): StoredCall[] {
  const last = rows.findLast((row) => row.role === 'assistant');
  if (last?.turnId !== turnId) return [];
  const answered = new Set(rows.map(({ callKey }) => callKey));
  return (last.calls ?? []).filter(({ key }) => !answered.has(key));
}

/** The next free ordinal of a turn's call keys. */
export function nextOrdinal(rows: readonly MessageRow[], turnId: string): number {
  return rows
    .filter((row) => row.turnId === turnId && row.role === 'assistant')
    .reduce((count, row) => count + (row.calls?.length ?? 0), 0);
}

/** The last words of a turn that ended without having been recorded as ended. */
export function finalWords(rows: readonly MessageRow[], turnId: string): string | undefined {
  // Words that came since wait for another turn.
  const last = rows.findLast((row) => row.turnId === turnId);
  const isFinal = last?.role === 'assistant' && (last.calls ?? []).length === 0;
  return isFinal ? last.content : undefined;
}

/** The last words of a turn that had closed its task: its own, or the summary. */
export function closingWords(
  rows: readonly MessageRow[],
  turnId: string,
  task: { readonly status: string; readonly summary: string | null },
): string | undefined {
  if (task.status !== 'done') return undefined;
  const own = rows.filter((row) => row.turnId === turnId);
  const call = own.findLast(({ role }) => role === 'assistant');
  const closed = call?.calls?.find(({ name }) => name === 'complete_task');
  if (!closed || own.every(({ callKey }) => callKey !== closed.key)) return undefined;
  return call?.content.trim() ? call.content : (task.summary ?? '');
}

function userText(row: MessageRow): string {
  if (row.sender === HOUSE || row.sender === null) return row.content;
  const viewer = row.origins.includes('viewer');
  return openingMessage({ time: row.at, operator: row.sender, viewer, words: row.content });
}

function resultText(result: MessageRow | undefined, turnId: string): string {
  if (!result) return INTERRUPTED;
  return result.turnId === turnId ? result.content : shrinkForHistory(result.content);
}

function assistantMessage(row: MessageRow): AssistantMessage {
  const calls = (row.calls ?? []).map(({ id, name, args, extra }: StoredToolCall) => ({
    id,
    name,
    args,
    ...(extra && { extra }),
  }));
  const reasoning = reasoningOf(row.extra);
  return { role: 'assistant', content: row.content, calls, ...(reasoning && { reasoning }) };
}

function reasoningOf(extra: MessageExtra | null): AssistantMessage['reasoning'] {
  // Written by ourselves, in this very shape, when the message was stored.
  return extra?.reasoning as AssistantMessage['reasoning'];
}
