export const LLM_ERROR_KINDS = [
  'auth',
  'quota',
  'overflow',
  'bad_request',
  'model_missing',
  'rate_limit',
  'server',
  'network',
  'timeout',
  'aborted',
  'truncated',
  'filtered',
  'malformed',
] as const;
export type LlmErrorKind = (typeof LLM_ERROR_KINDS)[number];

const RETRYABLE: readonly LlmErrorKind[] = [
  'rate_limit',
  'server',
  'network',
  'timeout',
  'truncated',
];

/** One plain sentence a kind: what is wrong and what to do. */
const SENTENCES: Readonly<Record<LlmErrorKind, string>> = {
  auth: 'The model provider does not accept the API key: check OPENAI_API_KEY.',
  quota: 'The account at the model provider has no credit left: top it up or use another model.',
  overflow: 'The conversation is too long for this model: start a new task or use a larger model.',
  bad_request: 'The model provider rejected the request: check that the model can call tools.',
  model_missing:
    'The model provider does not know this model or address: check the model name, and that the base URL ends in /v1.',
  rate_limit: 'The model provider says that there are too many requests: try again later.',
  server: 'The model provider has a fault of its own: try again in a few minutes.',
  network: 'The model provider cannot be reached: check the base URL and the network.',
  timeout: 'The model did not answer in time: try again, or raise the time limit for a slow model.',
  aborted: 'The model call was stopped.',
  truncated: 'The model’s answer was cut off: try again with a smaller request.',
  filtered: 'The model declined to answer: put the request in other words.',
  malformed: 'The model’s answer could not be used: try again, or use a model that can call tools.',
};

export interface LlmErrorFacts {
  readonly retryable?: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** Replaces the kind's usual sentence. */
  readonly forPeople?: string;
}

/** Any failure of a model call. `message` is for logs; people read `forPeople`. */
export class LlmError extends Error {
  override readonly name = 'LlmError';
  readonly kind: LlmErrorKind;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** One sentence that says what is wrong and what to do; never a key, never provider text. */
  readonly forPeople: string;

  constructor(kind: LlmErrorKind, message: string, facts: LlmErrorFacts = {}) {
    super(message);
    this.kind = kind;
    this.retryable = facts.retryable ?? RETRYABLE.includes(kind);
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
    this.forPeople = facts.forPeople ?? sentence(kind, facts.retryAfterMs);
  }
}

/** An address that answers with a web page or other JSON is not a chat endpoint. */
export function notAnEndpoint(detail: string): LlmError {
  return new LlmError('malformed', `not a chat endpoint: ${detail}`, {
    forPeople:
      'The address of the model answers, but not as a chat endpoint: check the base URL (it usually ends in /v1).',
  });
}

/** What is known of a failed call, free of any client library's classes. */
export interface FailureFacts {
  /** HTTP status, or the code inside an error object of a stream. */
  readonly status?: number | undefined;
  /** The provider's code and type, e.g. `context_length_exceeded`. */
  readonly code?: string | undefined;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  /** `connection`: no HTTP answer; `stream`: an error object in the stream; `junk`: not parseable. */
  readonly where: 'http' | 'connection' | 'stream' | 'junk';
}

// Wordings of providers and local servers, gathered from their documentation and issue threads.
const OVERFLOW =
  /context[_ ]length[_ ]exceeded|exceed_context_size|exceeds the (?:available context size|context window)|maximum (?:context|prompt) length|prompt is too long|greater than the context length|reduce the length of the (?:messages|prompt)|too many tokens|context window exceeds|exceeded model token limit|input token count.{0,80}exceeds|too large for model|longer than the model.s context|n_ctx/i;
const QUOTA =
  /insufficient[_ ](?:quota|balance|credits)|exceeded your current quota|payment required|never purchased credits/i;

/** The error for `facts`. Quota comes before rate limit: both arrive as 429, only one may be retried. */
export function classifyFailure(facts: FailureFacts): LlmError {
  const kind = kindOf(facts);
  return new LlmError(kind, facts.message, {
    retryAfterMs: facts.retryAfterMs,
    ...(facts.where === 'junk' ? { retryable: true } : {}),
  });
}

function kindOf(facts: FailureFacts): LlmErrorKind {
  const said = `${facts.code ?? ''} ${facts.message}`;
  if (facts.status === 413 || OVERFLOW.test(said)) return 'overflow';
  if (facts.status === 402 || QUOTA.test(said)) return 'quota';
  return facts.status === undefined ? kindWithoutStatus(facts.where) : kindOfStatus(facts.status);
}

function kindOfStatus(status: number): LlmErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'model_missing';
  if (status === 429 || status === 529) return 'rate_limit';
  if (status === 408 || status === 409 || status >= 500) return 'server';
  return 'bad_request';
}

function kindWithoutStatus(where: FailureFacts['where']): LlmErrorKind {
  switch (where) {
    case 'connection':
      return 'network';
    case 'junk':
      return 'malformed';
    case 'http':
    case 'stream':
      return 'server';
  }
}

function sentence(kind: LlmErrorKind, retryAfterMs: number | undefined): string {
  if (kind !== 'rate_limit' || retryAfterMs === undefined) return SENTENCES[kind];
  const seconds = Math.ceil(retryAfterMs / 1000);
  return `The model provider says that there are too many requests: try again in ${seconds} s.`;
}
