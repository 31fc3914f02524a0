import { parseJson } from './messages.ts';
import type { Tool } from './tool.ts';
import type { StoredCall, ToolResult } from './turn-ports.ts';

const LONGEST_QUOTE = 1500;

/** Remembers a turn's calls, so that a model which goes in circles gets its earlier answer. */
export interface Repeats {
  /** The answer for a call that would tell nothing new, or undefined when it should run. */
  earlier(tool: Tool, call: StoredCall): ToolResult | undefined;
  record(tool: Tool, call: StoredCall, result: ToolResult): void;
  /** The answers may have left the model's context. */
  forget(): void;
}

interface Entry {
  readonly result: ToolResult;
  readonly generation: number;
}

/**
 * A call repeats while no other gated call ran since: after one, a read may answer differently and
 * a command that failed may be worth a second try. A command that waits for a person always repeats.
 */
export function createRepeats(): Repeats {
  const seen = new Map<string, Entry>();
  let generation = 0;
  return {
    earlier(tool, call) {
      if (tool.kind === 'control' || tool.live) return undefined;
      const entry = seen.get(keyOf(call));
      if (!entry) return undefined;
      if (entry.generation !== generation && entry.result.parked !== true) return undefined;
      return repeated(tool, entry.result);
    },
    record(tool, call, result) {
      if (tool.kind === 'gated') generation += 1;
      seen.set(keyOf(call), { result, generation });
    },
    forget() {
      seen.clear();
    },
  };
}

function repeated(tool: Tool, { text, origins, parked }: ToolResult): ToolResult {
  const intro =
    tool.kind === 'gated'
      ? 'Already requested in this turn; nothing was started again. The answer was:'
      : 'Same call, and nothing changed since. The answer was:';
  return {
    text: `${intro}\n${text.slice(0, LONGEST_QUOTE)}`,
    origins,
    ...(parked === undefined ? {} : { parked }),
  };
}

function keyOf({ name, args }: StoredCall): string {
  return `${name} ${JSON.stringify(sorted(parseJson(args)))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
