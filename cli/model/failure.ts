import type { LlmError } from '../../bot/agent/llm-error.ts';
import { type Check, fails } from '../check.ts';
import type { Catalogue, ModelAccess } from './endpoint.ts';

type At = Pick<ModelAccess, 'baseUrl' | 'model'>;

/** Why the model did not answer: what is wrong and which setting to look at. */
export function failureCheck(error: LlmError, at: At, catalogue: Catalogue): Check {
  const { baseUrl, model } = at;
  switch (error.kind) {
    case 'auth':
      return fails(`${baseUrl} does not accept the key`, 'check OPENAI_API_KEY');
    case 'quota':
      return fails('the account has no credit left', 'top it up, or use another model');
    case 'model_missing':
      return missingModel(at, catalogue);
    case 'overflow':
      return fails(
        `${model} takes fewer than 6000 tokens`,
        'raise its context, or use a larger model: 16000 tokens are the least to work with',
      );
    case 'rate_limit':
      return fails(
        `${baseUrl} says that there are too many requests`,
        waitText(error.retryAfterMs),
      );
    case 'bad_request':
      return fails(
        `${baseUrl} refuses the request (${error.message})`,
        'many servers say so when the model cannot call tools: use one that can',
      );
    case 'network':
      return fails(
        `${baseUrl} broke the connection (${error.message})`,
        'see the log of that server',
      );
    case 'timeout':
      return fails(
        `${model} did not answer in time (${error.message})`,
        'raise LLM_IDLE_SECONDS and LLM_TOTAL_SECONDS for a slow model',
      );
    case 'malformed':
      return unreadable(at, error);
    case 'server':
    case 'truncated':
    case 'filtered':
    case 'aborted':
      return fails(
        `${model} gave no answer (${error.message})`,
        'try again, then see the log of that server',
      );
  }
}

/** Another kind of server, or a stream that broke: the agent's client tells them apart by its words. */
function unreadable({ baseUrl }: At, { message }: LlmError): Check {
  return message.startsWith('not a chat endpoint')
    ? fails(
        `${baseUrl} does not answer as a model (${message})`,
        'OPENAI_BASE_URL usually ends in /v1',
      )
    : fails(`${baseUrl} broke off in mid-answer (${message})`, 'see the log of that server');
}

function missingModel({ baseUrl, model }: At, catalogue: Catalogue): Check {
  if (catalogue.kind !== 'models') {
    return fails(
      `${baseUrl} knows no chat completions, or no model ${model}`,
      'OPENAI_BASE_URL usually ends in /v1; check OPENAI_MODEL too',
    );
  }
  const there = catalogue.names.slice(0, 12).join(', ') || 'none';
  const more = catalogue.names.length > 12 ? ` and ${catalogue.names.length - 12} more` : '';
  return fails(`${baseUrl} has no model ${model}`, `set OPENAI_MODEL to one of: ${there}${more}`);
}

function waitText(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return 'try again later';
  return `try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
}
