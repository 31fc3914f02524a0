import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setRequestFn } from 'matrix-bot-sdk';
import { type Retry, readRetryAfter, retryAfterFailure, retryAfterStatus } from './retry.ts';

export interface HttpDeps {
  fetch: typeof fetch;
  /** Monotonic milliseconds. */
  clock: () => number;
  /** In [0, 1); spreads retries of several clients. */
  random: () => number;
  /** Told before each wait; `path` carries no query and no token. */
  onRetry?: (retry: { method: string; path: string; waitMs: number; why: string }) => void;
}

/** The fields that matrix-bot-sdk passes to a `request`-like function. */
export interface SdkRequest {
  uri: string;
  method: string;
  qs?: Record<string, unknown> | null;
  headers?: Record<string, unknown>;
  body?: string | Buffer;
  /** null asks for a Buffer instead of text. */
  encoding?: null | undefined;
  /** Milliseconds for one attempt. */
  timeout?: number;
}

export interface SdkResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

export class MatrixTimeoutError extends Error {
  override readonly name = 'MatrixTimeoutError';
  constructor(method: string, path: string, ms: number) {
    super(`${method} ${path} had no answer within ${ms} ms`);
  }
}

const cancellation = new AsyncLocalStorage<AbortSignal>();

/** Requests made inside `work` end when the signal does; the SDK's own calls take no signal. */
export function cancelledBy<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return cancellation.run(signal, work);
}

/** Makes the SDK speak through `fetch`, in the whole process. */
export function installHttp(deps: HttpDeps): void {
  setRequestFn(
    (
      request: SdkRequest,
      done: (error: unknown, response?: SdkResponse, body?: unknown) => void,
    ) => {
      sendWithRetries(request, deps, cancellation.getStore()).then(
        (response) => done(null, response, response.body),
        (error: unknown) => done(error),
      );
    },
  );
}

/**
 * One request with its retries: 429 waits as long as the server says; a network failure or a
 * proxy's 502–504 is tried again where the method is idempotent (our sends are PUTs with our own
 * transaction id). /sync is never repeated here: its loop decides.
 */
export async function sendWithRetries(
  request: SdkRequest,
  deps: HttpDeps,
  signal?: AbortSignal,
): Promise<SdkResponse> {
  const url = addressOf(request);
  const began = deps.clock();
  for (let attempt = 0; ; attempt += 1) {
    const situation = {
      method: request.method,
      path: url.pathname,
      attempt,
      random: deps.random(),
      elapsedMs: deps.clock() - began,
    };
    let retry: Retry | null;
    try {
      const response = await sendOnce(request, url, deps.fetch, signal);
      const askedMs = readRetryAfter(response);
      retry = retryAfterStatus({ ...situation, status: response.statusCode, askedMs });
      if (retry === null) return response;
    } catch (error) {
      retry = signal?.aborted === true ? null : retryAfterFailure(situation, error);
      if (retry === null) throw error;
    }
    deps.onRetry?.({ method: request.method, path: url.pathname, ...retry });
    await sleep(retry.waitMs, undefined, signal === undefined ? {} : { signal });
  }
}

async function sendOnce(
  request: SdkRequest,
  url: URL,
  send: typeof fetch,
  signal: AbortSignal | undefined,
): Promise<SdkResponse> {
  const timeoutMs = request.timeout ?? 60_000;
  // Not AbortSignal.any: a long-lived signal would collect one dependent for every request.
  const attempt = new AbortController();
  const cancel = () => attempt.abort(signal?.reason);
  const timer = setTimeout(
    () => attempt.abort(new MatrixTimeoutError(request.method, url.pathname, timeoutMs)),
    timeoutMs,
  );
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    signal?.throwIfAborted();
    const response = await send(url, {
      method: request.method,
      headers: definedHeaders(request.headers ?? {}),
      // A redirected PUT would silently become a GET.
      redirect: request.method === 'GET' ? 'follow' : 'error',
      signal: attempt.signal,
      ...(request.body === undefined ? {} : { body: bodyOf(request.body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: request.encoding === null ? bytes : bytes.toString('utf8'),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

function bodyOf(body: string | Buffer): string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? body : new Uint8Array(body);
}

function addressOf(request: SdkRequest): URL {
  const url = new URL(request.uri);
  for (const [name, value] of Object.entries(request.qs ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) url.searchParams.append(name, String(one));
    }
  }
  return url;
}

function definedHeaders(headers: Record<string, unknown>): Record<string, string> {
  const defined = Object.entries(headers).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(defined.map(([name, value]) => [name, String(value)]));
}
