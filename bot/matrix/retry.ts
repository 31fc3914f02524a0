/** After this long the failure is given to the caller, who has a plan of its own (the outbox, the sync loop). */
export const GIVE_UP_AFTER_MS = 120_000;
const LONGEST_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 10_000;

const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE']);
/** What reverse proxies answer while the homeserver behind them restarts. */
const PROXY_TROUBLE = new Set([502, 503, 504]);

export interface Attempt {
  method: string;
  path: string;
  /** 0 for the first. */
  attempt: number;
  elapsedMs: number;
  /** In [0, 1). */
  random: number;
}

export interface Retry {
  waitMs: number;
  why: string;
}

/** Whether and when an answer of this status is asked for again; null: it is the final answer. */
export function retryAfterStatus(
  now: Attempt & { status: number; askedMs: number | null },
): Retry | null {
  if (now.elapsedMs >= GIVE_UP_AFTER_MS) return null;
  if (now.status === 429) {
    const waitMs = Math.min(Math.max(now.askedMs ?? 1_000, 50), LONGEST_WAIT_MS);
    return { waitMs: waitMs + Math.round(now.random * 100), why: 'rate limited' };
  }
  if (!PROXY_TROUBLE.has(now.status) || !mayRepeat(now)) return null;
  return { waitMs: backoffMs(now), why: `HTTP ${now.status}` };
}

/** The same for an attempt without an answer. */
export function retryAfterFailure(now: Attempt, error: unknown): Retry | null {
  if (now.elapsedMs >= GIVE_UP_AFTER_MS || !mayRepeat(now)) return null;
  return { waitMs: backoffMs(now), why: failureName(error) };
}

/** How long a 429 asks us to wait, from its header (seconds) or its body; null if it does not say. */
export function readRetryAfter(response: {
  headers: Record<string, string>;
  body: string | Buffer;
}): number | null {
  const seconds = Number(response.headers['retry-after']);
  if (Number.isFinite(seconds) && seconds > 0) return seconds * 1_000;
  const asked = /"retry_after_ms"\s*:\s*(\d{1,9})/.exec(
    response.body.toString().slice(0, 4_096),
  )?.[1];
  return asked === undefined ? null : Number(asked);
}

function mayRepeat({ method, path }: Attempt): boolean {
  return IDEMPOTENT.has(method) && !path.endsWith('/sync');
}

function backoffMs({ attempt, random }: Attempt): number {
  const base = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS);
  return Math.round(base * (0.75 + random / 2));
}

function failureName(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name;
}
