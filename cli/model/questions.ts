import { estimateTokens } from '../../bot/agent/budget.ts';
import type { LlmRequest } from '../../bot/agent/llm.ts';
import { parseJson } from '../../bot/agent/messages.ts';
import type { Reply } from '../../bot/agent/reply.ts';
import { callsInText } from '../../bot/agent/text-calls.ts';

const TOOL = 'report_sum';

/** Asks for one call of a tiny tool. */
export const TOOL_QUESTION: LlmRequest = {
  system: 'You work with tools. When you are asked to call a tool, call it and say nothing.',
  messages: [{ role: 'user', content: `Call the tool ${TOOL} with a = 17 and b = 25.` }],
  tools: [
    {
      name: TOOL,
      description: 'Reports the sum of two numbers.',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    },
  ],
};

/** `as_text`: it wrote the call into its answer, which the agent does not take for a call. */
export const TOOL_OUTCOMES = ['called', 'wrong_arguments', 'as_text', 'not_called'] as const;
export type ToolOutcome = (typeof TOOL_OUTCOMES)[number];

export function judgeToolReply({ calls, text }: Pick<Reply, 'calls' | 'text'>): ToolOutcome {
  const call = calls.find(({ name }) => name === TOOL);
  if (call) return hasArguments(call.args) ? 'called' : 'wrong_arguments';
  return callsInText(text, new Set([TOOL])).length > 0 || text.includes(`"${TOOL}"`)
    ? 'as_text'
    : 'not_called';
}

/** Small models write numbers as text; the agent's tools take that too. */
function hasArguments(args: string): boolean {
  const value = parseJson(args);
  if (typeof value !== 'object' || value === null || !('a' in value) || !('b' in value)) {
    return false;
  }
  return Number(value.a) === 17 && Number(value.b) === 25;
}

/** Tokens of the long question: a working turn's tools, rules and a few outputs. */
const LONG_TOKENS = 6_000;

/**
 * A long prompt whose very first line holds a word that is asked for at its end. A server that cuts
 * prompts cuts them there: Ollama's default context silently loses the rules first (AGENT, Model client).
 */
export function contextQuestion(word: string): { request: LlmRequest; estimatedTokens: number } {
  const head = `The password of the day is ${word}.\n`;
  let filler = '';
  for (let line = 1; estimateTokens(filler) < LONG_TOKENS; line += 1) {
    filler += `Note ${line}: the cellar was dry, the lamp was lit and nothing else was seen.\n`;
  }
  const system = head + filler;
  const question = 'What is the password of the day? Answer with that one word.';
  return {
    request: { system, messages: [{ role: 'user', content: question }], tools: [] },
    estimatedTokens: estimateTokens(system + question),
  };
}

/** `cut`: the beginning never reached it. `forgot`: all of it was read, and still not remembered. */
export const CONTEXT_OUTCOMES = ['whole', 'cut', 'forgot'] as const;
export type ContextOutcome = (typeof CONTEXT_OUTCOMES)[number];

/** The provider's own count tells a cut prompt from a weak model; estimates are off by up to a third. */
export function judgeContextReply(
  { text, usage }: Pick<Reply, 'text' | 'usage'>,
  word: string,
  estimatedTokens: number,
): ContextOutcome {
  if (text.toLowerCase().includes(word.toLowerCase())) return 'whole';
  return !usage.estimated && usage.promptTokens > estimatedTokens * 0.6 ? 'forgot' : 'cut';
}
