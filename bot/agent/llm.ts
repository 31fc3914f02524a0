import { setTimeout as delay } from 'node:timers/promises';
import OpenAI, { APIConnectionError, APIError } from 'openai';
import { createAccumulator } from './accumulate.ts';
import { type Compat, DEFAULT_COMPAT } from './compat.ts';
import { classifyFailure, LlmError, notAnEndpoint } from './llm-error.ts';
import { type ChatMessage, parseJson, withUniqueIds } from './messages.ts';
import type { Reply } from './reply.ts';
import { withRetry } from './retry.ts';
import { callsInText } from './text-calls.ts';
import { toWire, type WireMessage } from './wire.ts';

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON schema (draft 7) of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface LlmRequest {
  readonly system: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  /** The answer must be words: calls are dropped. */
  readonly wordsOnly?: boolean;
}

/** A model that answers. Rejects with `LlmError` and nothing else. */
export interface Llm {
  call(request: LlmRequest, signal?: AbortSignal): Promise<Reply>;
}

export interface LlmOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  /** Longest silence inside a stream. */
  readonly idleMs: number;
  /** Longest wait for the first piece; slow local models need more. Usually `idleMs`. */
  readonly startMs?: number;
  /** Longest time for a whole answer. */
  readonly totalMs: number;
  readonly compat?: Partial<Compat>;
  readonly attempts?: number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly onRetry?: (error: LlmError, waitMs: number) => void;
}

const ATTEMPTS = 4;
const LONGEST_WAIT_MS = 60_000;

/**
 * A model behind an OpenAI-compatible endpoint. The client library only carries requests: time
 * limits, retries and putting the stream together are ours, because its own miss stalled streams,
 * retry an empty account and ignore long Retry-After.
 */
export function connectLlm(options: LlmOptions): Llm {
  const compat = { ...DEFAULT_COMPAT, ...options.compat };
  const client = new OpenAI({
    baseURL: options.baseUrl,
    // Local servers take any key, but the client refuses to start without one.
    apiKey: options.apiKey === '' ? 'none' : options.apiKey,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: options.totalMs + 1000,
    logLevel: 'off',
  });
  const sleep = options.sleep ?? ((ms, signal) => delay(ms, undefined, signal ? { signal } : {}));

  return {
    call(request, signal) {
      return withRetry(() => callOnce(client, { ...options, compat }, request, signal), {
        attempts: options.attempts ?? ATTEMPTS,
        maxWaitMs: LONGEST_WAIT_MS,
        sleep: (ms) => sleep(ms, signal).catch(() => Promise.reject(stopped())),
        random: options.random ?? Math.random,
        onRetry: options.onRetry,
      });
    },
  };
}

type Connection = LlmOptions & { readonly compat: Compat };

async function callOnce(
  client: OpenAI,
  connection: Connection,
  request: LlmRequest,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const clock = startClock(connection, signal);
  try {
    const messages = wireMessages(connection, request);
    const promptText = messages.map(({ content }) => content ?? '').join('\n');
    const accumulator = createAccumulator(connection.model, promptText);
    const body = requestBody(connection, request, messages);
    for await (const chunk of streamChunks(client, body, clock.signal)) {
      clock.heard();
      accumulator.add(chunk);
    }
    // An aborted stream ends here as if it were complete; without its finish reason `finish` throws,
    // and the clock tells why.
    return finishReply(accumulator.finish(), connection.compat, request);
  } catch (error) {
    throw clock.reason() ?? asLlmError(error, connection.apiKey);
  } finally {
    clock.stop();
  }
}

async function* streamChunks(
  client: OpenAI,
  body: OpenAI.ChatCompletionCreateParamsStreaming,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const { data, response } = await client.chat.completions
    .create(body, { signal, maxRetries: 0 })
    .withResponse();
  const type = response.headers.get('content-type') ?? 'text/event-stream';
  if (/event-stream|octet-stream/.test(type)) yield* data;
  else yield wholeAnswer(await response.text(), type);
}

/** A server that ignores `stream`, or reports an error with status 200, sends one JSON object. */
function wholeAnswer(text: string, type: string): unknown {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && ('choices' in value || 'error' in value)) {
    return value;
  }
  throw notAnEndpoint(`it answered ${type}`);
}

function wireMessages(
  { model, compat }: Connection,
  request: LlmRequest,
): [WireMessage, ...WireMessage[]] {
  const rest = request.messages.map((message) =>
    toWire(message, { model, replay: compat.reasoningReplay }),
  );
  return [{ role: 'system', content: request.system.toWellFormed() }, ...rest];
}

// No tool_choice: DeepSeek's thinking models reject it.
function requestBody(
  { model, compat }: Connection,
  request: LlmRequest,
  messages: WireMessage[],
): OpenAI.ChatCompletionCreateParamsStreaming {
  const withTools = request.tools.length > 0 && (!request.wordsOnly || compat.keepToolsInSummary);
  const tools = request.tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: {
      name,
      description,
      parameters: { ...parameters },
      ...(compat.strictTools ? { strict: true } : {}),
    },
  }));
  return {
    model,
    messages,
    stream: true,
    ...(compat.usageInStream ? { stream_options: { include_usage: true } } : {}),
    ...(withTools ? { tools } : {}),
  };
}

function finishReply(reply: Reply, compat: Compat, request: LlmRequest): Reply {
  if (request.wordsOnly) return { ...reply, calls: [] };
  if (!compat.textCalls || reply.calls.length > 0) return reply;
  const found = callsInText(reply.text, new Set(request.tools.map(({ name }) => name)));
  return found.length === 0 ? reply : { ...reply, text: '', calls: withUniqueIds(found) };
}

interface CallClock {
  readonly signal: AbortSignal;
  heard(): void;
  /** Why the call was cut short, if it was. */
  reason(): LlmError | undefined;
  stop(): void;
}

function startClock(options: LlmOptions, outer: AbortSignal | undefined): CallClock {
  const controller = new AbortController();
  let why: LlmError | undefined;
  const cut = (error: LlmError): void => {
    why ??= error;
    controller.abort();
  };
  const silentFor = (ms: number): NodeJS.Timeout =>
    setTimeout(() => cut(new LlmError('timeout', `no data for ${ms} ms`)), ms);
  const total = setTimeout(
    () => cut(new LlmError('timeout', `no whole answer within ${options.totalMs} ms`)),
    options.totalMs,
  );
  let idle = silentFor(options.startMs ?? options.idleMs);
  const onOuterAbort = (): void => cut(stopped());
  if (outer?.aborted) onOuterAbort();
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(idle);
      idle = silentFor(options.idleMs);
    },
    reason: () => why,
    stop() {
      clearTimeout(total);
      clearTimeout(idle);
      outer?.removeEventListener('abort', onOuterAbort);
    },
  };
}

function stopped(): LlmError {
  return new LlmError('aborted', 'stopped by the caller');
}

function asLlmError(error: unknown, apiKey: string): LlmError {
  if (error instanceof LlmError) return error;
  const message = withoutKey(error instanceof Error ? error.message : String(error), apiKey);
  if (error instanceof APIConnectionError) return classifyFailure({ message, where: 'connection' });
  if (!(error instanceof APIError)) return classifyFailure({ message, where: 'junk' });
  return classifyFailure({
    status: error.status ?? statusIn(error.code),
    code: [error.code, error.type].filter(Boolean).join(' '),
    message,
    retryAfterMs: retryAfterMs(error.headers),
    where: error.status === undefined ? 'stream' : 'http',
  });
}

/** Providers repeat the key in their complaints, and messages reach the log. */
function withoutKey(message: string, apiKey: string): string {
  const safe = apiKey.length < 6 ? message : message.replaceAll(apiKey, '[key]');
  return safe.slice(0, 500);
}

function statusIn(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

function retryAfterMs(headers: Headers | undefined): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact > 0) return exact;
  const written = headers?.get('retry-after');
  if (!written) return undefined;
  const seconds = Number(written);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(written) - Date.now();
  return ms > 0 ? ms : undefined;
}
