import { randomInt } from 'node:crypto';
import { connectLlm, type Llm } from '../../bot/agent/llm.ts';
import { LlmError } from '../../bot/agent/llm-error.ts';
import { type Check, fails, note, ok } from '../check.ts';
import { reasonOf } from '../reason.ts';
import { type Env, readSettings } from '../settings.ts';
import { type Catalogue, type ModelAccess, readCatalogue, streams } from './endpoint.ts';
import { failureCheck } from './failure.ts';
import {
  contextQuestion,
  judgeContextReply,
  judgeToolReply,
  TOOL_QUESTION,
  type ToolOutcome,
} from './questions.ts';

const NAMES = [
  'OPENAI_BASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_MODEL',
  'LLM_IDLE_SECONDS',
  'LLM_TOTAL_SECONDS',
] as const;

/** Whether the model can do the agent's work: three short questions and one of about 6000 tokens. */
export async function checkModel(
  env: Env,
  { fetch }: { readonly fetch: typeof globalThis.fetch },
): Promise<readonly Check[]> {
  const settings = readSettings(env, NAMES);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const { config } = settings;
  const at: ModelAccess = {
    baseUrl: config.OPENAI_BASE_URL,
    apiKey: config.OPENAI_API_KEY,
    model: config.OPENAI_MODEL,
    fetch,
  };
  const catalogue = await readCatalogue(at);
  const hopeless = catalogueFailure(catalogue, at);
  if (hopeless) return [hopeless];
  const llm = connectLlm({
    baseUrl: at.baseUrl,
    apiKey: at.apiKey ?? '',
    model: at.model,
    idleMs: config.LLM_IDLE_SECONDS * 1_000,
    totalMs: config.LLM_TOTAL_SECONDS * 1_000,
    attempts: 1,
  });
  const steps = [
    () => toolChecks(llm, at),
    async () => [await streamCheck(at)],
    async () => [await contextCheck(llm)],
  ];
  const checks: Check[] = [];
  try {
    for (const step of steps) checks.push(...(await step()));
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    checks.push(failureCheck(error, at, catalogue));
  }
  return checks;
}

function catalogueFailure(
  catalogue: Catalogue,
  { baseUrl, apiKey }: ModelAccess,
): Check | undefined {
  switch (catalogue.kind) {
    case 'unreachable':
      return fails(
        `${baseUrl} cannot be reached (${catalogue.reason})`,
        'check OPENAI_BASE_URL, and that the server runs',
      );
    case 'web_page':
      return fails(
        `${baseUrl} answers with a web page, not as a model`,
        'OPENAI_BASE_URL usually ends in /v1',
      );
    case 'wrong_key':
      return fails(
        `${baseUrl} does not accept ${apiKey === undefined ? 'requests without a key' : 'the key'}`,
        'check OPENAI_API_KEY',
      );
    case 'models':
    case 'none':
      return undefined;
  }
}

async function toolChecks(llm: Llm, { baseUrl, model }: ModelAccess): Promise<readonly Check[]> {
  const reply = await llm.call(TOOL_QUESTION);
  return [
    ok(`${baseUrl} answers as ${model}`),
    toolCheck(judgeToolReply(reply), model),
    reply.usage.estimated
      ? note('it reports no token figures', 'the length of conversations is estimated')
      : ok('it reports token figures'),
  ];
}

function toolCheck(outcome: ToolOutcome, model: string): Check {
  const todo =
    'use a model with tool calling; on a local server turn tool calls on (vLLM: --enable-auto-tool-choice, llama.cpp: --jinja)';
  switch (outcome) {
    case 'called':
      return ok('it calls a tool when asked');
    case 'wrong_arguments':
      return fails(`${model} calls the tool with other arguments than asked`, 'use a larger model');
    case 'as_text':
      return fails(`${model} writes the tool call as text instead of calling`, todo);
    case 'not_called':
      return fails(`${model} calls no tool when asked to`, todo);
  }
}

async function streamCheck(at: ModelAccess): Promise<Check> {
  const missing = note(
    'its answers come all at once',
    'long ones look like silence: raise LLM_IDLE_SECONDS',
  );
  try {
    return (await streams(at)) ? ok('its answers come as a stream') : missing;
  } catch (error) {
    return note(`whether its answers stream is not known (${reasonOf(error)})`);
  }
}

const WORDS = ['heron', 'walnut', 'lantern', 'copper', 'meadow', 'anchor', 'saffron', 'pebble'];

async function contextCheck(llm: Llm): Promise<Check> {
  // By chance, so that no cache can know it.
  const word = `${WORDS[randomInt(WORDS.length)]}${randomInt(100, 1_000)}`;
  const { request, estimatedTokens } = contextQuestion(word);
  const reply = await llm.call(request);
  const length = `${Math.round(estimatedTokens / 1_000)}000 tokens`;
  switch (judgeContextReply(reply, word, estimatedTokens)) {
    case 'whole':
      return ok(`it read the beginning of a prompt of ${length}`);
    case 'forgot':
      return note(
        `it read ${length}, but did not find a word at their beginning`,
        'a larger model would serve better',
      );
    case 'cut':
      return fails(
        `the beginning of a prompt of ${length} did not reach the model: the server cuts prompts`,
        'raise its context to 16000 tokens or more (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; vLLM: --max-model-len)',
      );
  }
}
