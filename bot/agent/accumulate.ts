import { z } from 'zod';
import { estimateTokens } from './budget.ts';
import { classifyFailure, LlmError, notAnEndpoint } from './llm-error.ts';
import { parseJson, type Reasoning, type ToolCall, withUniqueIds } from './messages.ts';
import type { Finish, Reply, Usage } from './reply.ts';

const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

const callDelta = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown() }).nullish(),
});
const delta = z.looseObject({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_details: z.array(z.unknown()).nullish(),
  tool_calls: z.array(callDelta).nullish(),
});
const usageShape = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
  prompt_cache_hit_tokens: z.number().nullish(),
});
const choiceShape = z.object({
  delta: delta.nullish(),
  message: delta.nullish(),
  finish_reason: z.string().nullish(),
  // Moonshot sends its figures here.
  usage: usageShape.nullish(),
});
const errorShape = z.object({
  message: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish(),
});
const chunkShape = z.object({
  choices: z.array(choiceShape).nullish(),
  usage: usageShape.nullish(),
  error: z.union([errorShape, z.string()]).nullish(),
});

type CallDelta = z.infer<typeof callDelta>;
type Delta = z.infer<typeof delta>;

interface Slot {
  readonly index: number | undefined;
  id: string;
  name: string;
  args: string;
  extra: Record<string, unknown>;
}

export interface Accumulator {
  /** Takes one parsed chunk of the stream. Throws `LlmError` on an error object or junk. */
  add(chunk: unknown): void;
  /** The whole reply. Throws `LlmError` when the stream ended early or was filtered. */
  finish(): Reply;
}

/**
 * Puts the chunks of one streamed answer together. Written by hand because client libraries merge
 * calls that share an index, keep only the last piece of reasoning and turn arguments that arrive
 * as an object into "[object Object]".
 */
export function createAccumulator(model: string, promptText: string): Accumulator {
  const slots: Slot[] = [];
  const reasoning = { field: '', text: '', details: [] as unknown[] };
  let text = '';
  let refusal = '';
  let finish = '';
  let usage: Usage | undefined;
  let chunks = 0;

  const addDelta = (part: Delta): void => {
    text += part.content ?? '';
    refusal += part.refusal ?? '';
    addReasoning(reasoning, part);
    for (const call of part.tool_calls ?? []) addCall(slots, call);
  };

  return {
    add(raw) {
      const chunk = parseChunk(raw);
      const choice = chunk.choices?.[0];
      chunks += 1;
      usage = usageOf(chunk.usage ?? choice?.usage) ?? usage;
      finish = choice?.finish_reason ?? finish;
      const part = choice?.delta ?? choice?.message;
      if (part) addDelta(part);
    },
    finish() {
      if (chunks === 0) throw notAnEndpoint('the stream held no chunk');
      const kept = keepReasoning(reasoning, model);
      return {
        text,
        calls: withUniqueIds(slots.filter(({ name }) => name !== '').map(toCall)),
        finish: finishOf(finish),
        refusal,
        ...(kept === undefined ? {} : { reasoning: kept }),
        usage: usage ?? estimatedUsage(promptText, text + reasoning.text),
      };
    },
  };
}

function parseChunk(raw: unknown): z.infer<typeof chunkShape> {
  const parsed = chunkShape.safeParse(raw);
  if (!parsed.success) throw notAnEndpoint(z.prettifyError(parsed.error).slice(0, 200));
  if (parsed.data.error) throw streamError(parsed.data.error);
  return parsed.data;
}

/** The error object that providers put into a stream, or into a 200 answer. */
function streamError(error: z.infer<typeof errorShape> | string): LlmError {
  if (typeof error === 'string') return classifyFailure({ message: error, where: 'stream' });
  const code = Number(error.code);
  return classifyFailure({
    status: Number.isInteger(code) && code >= 400 ? code : undefined,
    code: [error.code, error.type].filter(Boolean).join(' '),
    message: error.message ?? 'error in the stream',
    where: 'stream',
  });
}

function addReasoning(reasoning: { field: string; text: string; details: unknown[] }, part: Delta) {
  reasoning.details.push(...(part.reasoning_details ?? []));
  for (const field of REASONING_FIELDS) {
    const piece = part[field];
    // Some gateways send the same piece under two names: the first name seen is the one kept.
    if (typeof piece !== 'string' || (reasoning.field !== '' && reasoning.field !== field)) {
      continue;
    }
    reasoning.field = field;
    reasoning.text += piece;
  }
}

function keepReasoning(
  { field, text, details }: { field: string; text: string; details: unknown[] },
  model: string,
): Reasoning | undefined {
  if (field === '' && details.length === 0) return undefined;
  return { field: field === '' ? 'reasoning_content' : field, text, details, model };
}

function addCall(slots: Slot[], part: CallDelta): void {
  const { index, id, type: _type, function: fn, ...extra } = part;
  const slot = slotFor(slots, part);
  if (id) slot.id = id;
  if (fn?.name && fn.name !== slot.name) slot.name += fn.name;
  const args = fn?.arguments;
  if (args !== undefined && args !== null) {
    slot.args += typeof args === 'string' ? args : JSON.stringify(args);
  }
  Object.assign(slot.extra, extra);
}

function slotFor(slots: Slot[], part: CallDelta): Slot {
  const index = part.index ?? undefined;
  const last = index === undefined ? slots.at(-1) : slots.findLast((slot) => slot.index === index);
  if (last && continues(last, part)) return last;
  const fresh: Slot = { index, id: '', name: '', args: '', extra: {} };
  slots.push(fresh);
  return fresh;
}

/** Providers reuse an index for a second call, or send neither index nor id. */
function continues(slot: Slot, part: CallDelta): boolean {
  if (part.id) return slot.id === '' || slot.id === part.id;
  const name = part.function?.name;
  if (!name) return true;
  const complete = slot.args !== '' && parseJson(slot.args) !== undefined;
  return !complete && (part.index != null || slot.name === '' || slot.name === name);
}

function toCall(slot: Slot): ToolCall {
  const { id, name, args, extra } = slot;
  return { id, name, args, ...(Object.keys(extra).length > 0 ? { extra } : {}) };
}

const DONE = ['stop', 'end', 'eos', 'tool_calls', 'function_call'];

function finishOf(reason: string): Finish {
  if (reason === 'length') return 'length';
  if (DONE.includes(reason)) return 'done';
  if (reason === '') throw new LlmError('truncated', 'the stream ended without finish_reason');
  if (reason === 'content_filter') throw new LlmError('filtered', 'the provider filtered it');
  throw new LlmError('server', `unexpected finish_reason ${reason.slice(0, 40)}`);
}

function usageOf(usage: z.infer<typeof usageShape> | null | undefined): Usage | undefined {
  if (!usage) return undefined;
  return {
    promptTokens: usage.prompt_tokens ?? 0,
    completionTokens: usage.completion_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0,
    estimated: false,
  };
}

function estimatedUsage(prompt: string, completion: string): Usage {
  return {
    promptTokens: estimateTokens(prompt),
    completionTokens: estimateTokens(completion),
    cachedTokens: 0,
    estimated: true,
  };
}
