import { z } from 'zod';
import { readLeniently, type SchemaNode } from './lenient.ts';
import type { ToolSpec } from './llm.ts';
import { parseJson } from './messages.ts';
import type { StoredCall, ToolResult } from './turn-ports.ts';

export const TOOL_KINDS = ['read', 'gated', 'control'] as const;
/** `read` changes nothing, `gated` goes through the gate, `control` steers the task itself. */
export type ToolKind = (typeof TOOL_KINDS)[number];

export interface ToolContext {
  /** The stored call; `call.key` makes what the tool starts unique. */
  readonly call: StoredCall;
  readonly signal?: AbortSignal;
}

export interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  /** What it does, for the model. The first sentence appears in the catalogue. */
  readonly description: string;
  readonly schema: Schema;
  readonly kind: ToolKind;
  /** A read whose answer changes by itself, so that an earlier answer is no answer. */
  readonly live?: boolean;
  run(args: z.output<Schema>, ctx: ToolContext): Promise<ToolResult>;
}

/** A call whose arguments were understood, or why they were not. */
export type Prepared =
  | { readonly ok: true; run(ctx: ToolContext): Promise<ToolResult> }
  | { readonly ok: false; readonly error: string };

/** A tool with its argument type folded away: only `prepare` gets from raw arguments to a run. */
export interface Tool extends ToolSpec {
  readonly kind: ToolKind;
  readonly live: boolean;
  /** Takes JSON text or a value. */
  prepare(raw: unknown): Prepared;
}

/** A tool name or description that breaks the rules; thrown at start, never at run time. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError';
}

export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, schema, kind, live = false } = definition;
  if (!/^[a-z][a-z0-9_]{1,62}$/.test(name)) {
    throw new ToolDefinitionError(`"${name}" is no tool name: lower case, digits and _ only`);
  }
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override({ jsonSchema }) {
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties ??= false;
    },
  });
  return {
    name,
    description,
    kind,
    live,
    parameters,
    prepare(raw) {
      const read = readArguments(raw, parameters as SchemaNode);
      if (!read.ok) return read;
      const parsed = schema.safeParse(read.value);
      if (!parsed.success) return { ok: false, error: z.prettifyError(parsed.error) };
      return { ok: true, run: (ctx) => definition.run(parsed.data, ctx) };
    },
  };
}

function readArguments(
  raw: unknown,
  schema: SchemaNode,
): { ok: true; value: unknown } | { ok: false; error: string } {
  const value = typeof raw === 'string' ? parseJson(raw.trim() === '' ? '{}' : raw) : raw;
  if (value === undefined) return { ok: false, error: 'the arguments are not valid JSON' };
  return { ok: true, value: readLeniently(value ?? {}, schema) };
}
