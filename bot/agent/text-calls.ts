import { parseJson, type ToolCall } from './messages.ts';

const OPENING = /^\s{0,40}(?:<tool_call>|```(?:json|tool_call)?)?\s{0,40}(?=\{)/;
const CLOSING = /^\s{0,40}(?:<\/tool_call>|```)?\s{0,40}/;

/**
 * Calls that a small model printed as text instead of calling. Only a text that is nothing but
 * calls of known tools counts: a call quoted in a sentence is an example, not a wish.
 */
export function callsInText(text: string, known: ReadonlySet<string>): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const opening = OPENING.exec(rest);
    const object = opening && leadingObject(rest.slice(opening[0].length));
    const call = object && asCall(object.value, known);
    if (!call) return [];
    calls.push(call);
    rest = object.rest.slice(CLOSING.exec(object.rest)?.[0].length ?? 0);
  }
  return calls;
}

/** The JSON object that `text` begins with, found at its matching brace outside of strings. */
function leadingObject(text: string): { value: unknown; rest: string } | undefined {
  const end = objectEnd(text);
  if (end === undefined) return undefined;
  const value = parseJson(text.slice(0, end));
  return value === undefined ? undefined : { value, rest: text.slice(end) };
}

function objectEnd(text: string): number | undefined {
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at);
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Index of the quote that closes the string opened at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function asCall(value: unknown, known: ReadonlySet<string>): ToolCall | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, arguments: args, parameters } = value as Readonly<Record<string, unknown>>;
  const given = args ?? parameters;
  if (typeof name !== 'string' || !known.has(name)) return undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  return { id: '', name, args: JSON.stringify(given) };
}
