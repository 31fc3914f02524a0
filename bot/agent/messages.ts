/** One call as the model asked for it. */
export interface ToolCall {
  /** The provider's id, made unique where providers repeat or omit it. */
  readonly id: string;
  readonly name: string;
  /** JSON text of an object. */
  readonly args: string;
  /** Fields a provider adds and wants back unchanged, e.g. thought signatures. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Hidden reasoning, kept because some providers refuse a replay without it. */
export interface Reasoning {
  /** The name of the field it came in; providers differ. */
  readonly field: string;
  readonly text: string;
  readonly details: readonly unknown[];
  /** Another model's reasoning is never replayed. */
  readonly model: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly calls: readonly ToolCall[];
  readonly reasoning?: Reasoning;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly callId: string;
  readonly content: string;
}

/** A message of a task, without the system prompt. */
export type ChatMessage = UserMessage | AssistantMessage | ToolMessage;

/** Gives every call an id that neither a sibling nor an id in `taken` has. */
export function withUniqueIds(
  calls: readonly ToolCall[],
  taken: Iterable<string> = [],
): readonly ToolCall[] {
  const used = new Set(taken);
  return calls.map((call) => {
    const id = freeId(call.id, used);
    used.add(id);
    return { ...call, id };
  });
}

/** The ids of all calls in `messages`. */
export function callIdsIn(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
  );
}

/**
 * Arguments as they may be stored and replayed: always the JSON text of an object. llama.cpp
 * answers 500 for ever once a replayed call holds anything else.
 */
export function storableArgs(args: string): string {
  const value = parseJson(args.trim() === '' ? '{}' : args);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return JSON.stringify(value);
  }
  return value === null ? '{}' : JSON.stringify({ _invalid: args.slice(0, 300) });
}

/** The value of a JSON text, or undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function freeId(id: string, used: ReadonlySet<string>): string {
  const wanted = id === '' ? 'call' : id;
  if (id !== '' && !used.has(id)) return id;
  let n = used.size + 1;
  while (used.has(`${wanted}_${n}`)) n += 1;
  return `${wanted}_${n}`;
}
