import type { Llm } from './llm.ts';
import { LlmError } from './llm-error.ts';
import {
  type AssistantMessage,
  type ChatMessage,
  callIdsIn,
  storableArgs,
  withUniqueIds,
} from './messages.ts';
import { operatorWords } from './prompt.ts';
import { isRefusal } from './refusal.ts';
import type { ToolRegistry } from './registry.ts';
import { createRepeats, type Repeats } from './repeats.ts';
import { addUsage, NO_USAGE, type Reply, type Usage } from './reply.ts';
import { notStarted, runCall } from './run-call.ts';
import type { StoredCall, ToolResult, TurnOutcome, TurnPorts, TurnStatus } from './turn-ports.ts';

/** Model calls in one turn before it must report and end. */
export const MAX_STEPS = 40;
/** Calls that could not be understood before a turn is given up. */
export const MAX_BROKEN_CALLS = 6;

export const INTERRUPTED = 'Interrupted, nothing ran.';
export const SKIPPED =
  'Skipped, nothing ran: something was said meanwhile, and it follows. Decide anew with it in mind.';

export interface TurnOptions {
  readonly llm: Llm;
  /** The whole system prompt; equal from turn to turn. */
  readonly system: string;
  readonly registry: ToolRegistry;
  readonly ports: TurnPorts;
  /** Calls of the history's last message that a crash left unanswered. */
  readonly outstanding?: readonly StoredCall[];
  /** Answers an outstanding call from the rows; without it they were interrupted. */
  readonly resumeCall?: (call: StoredCall) => Promise<ToolResult>;
  readonly signal?: AbortSignal;
  /** How models decline; the list in refusal.ts where left out. */
  readonly refusalPhrases?: readonly string[];
  readonly maxSteps?: number;
}

/** The ports broke their contract. */
export class TurnContractError extends Error {
  override readonly name = 'TurnContractError';
}

interface Turn {
  readonly o: TurnOptions;
  readonly messages: ChatMessage[];
  readonly repeats: Repeats;
  usage: Usage;
  steps: number;
  broken: number;
  /** Said to the model in the next request only. */
  nudge: string | undefined;
  readonly askedAgain: Set<'empty' | 'cut'>;
  compacted: boolean;
}

/**
 * One turn: the model is asked, its calls run one after another, until it answers, a card waits,
 * someone says stop, or the steps run out. Model failures are outcomes; a port's rejection passes
 * through and leaves the turn to be resumed. What is said while the last answer is written belongs
 * to the next turn.
 */
export async function runTurn(o: TurnOptions): Promise<TurnOutcome> {
  const turn: Turn = {
    o,
    messages: [...(await o.ports.history())],
    repeats: createRepeats(),
    usage: NO_USAGE,
    steps: 0,
    broken: 0,
    nudge: undefined,
    askedAgain: new Set(),
    compacted: false,
  };
  try {
    const resumed = await answerOutstanding(turn);
    if (resumed) return resumed;
    while (turn.steps < (o.maxSteps ?? MAX_STEPS)) {
      const outcome = await takeStep(turn);
      if (outcome) return outcome;
    }
    return await summarise(turn);
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    if (error.kind !== 'aborted') return fail(turn, error);
    await mustStop(turn);
    return end(turn, 'stopped', '');
  }
}

async function takeStep(turn: Turn): Promise<TurnOutcome | undefined> {
  const { ports } = turn.o;
  if (await mustStop(turn)) return end(turn, 'stopped', '');
  turn.messages.push(...(await ports.steering()));
  turn.steps += 1;
  ports.onProgress({ type: 'thinking', step: turn.steps });
  const reply = await askOrCompact(turn);
  if (!reply) return undefined;
  if (reply.finish === 'length') return cutOff(turn, reply);
  return reply.calls.length === 0 ? answer(turn, reply) : runCalls(turn, reply);
}

async function ask(turn: Turn, wordsOnly: boolean): Promise<Reply> {
  const { o, nudge } = turn;
  const messages: ChatMessage[] = [...turn.messages];
  if (nudge !== undefined) messages.push({ role: 'user', content: nudge });
  const tools = o.registry.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const reply = await o.llm.call({ system: o.system, messages, tools, wordsOnly }, o.signal);
  turn.nudge = undefined;
  turn.usage = addUsage(turn.usage, reply.usage);
  o.ports.onProgress({ type: 'usage', usage: reply.usage });
  return reply;
}

/** The reply, or undefined when the history was too long and has been compacted. */
async function askOrCompact(turn: Turn): Promise<Reply | undefined> {
  const { ports } = turn.o;
  try {
    return await ask(turn, false);
  } catch (error) {
    const overflow = error instanceof LlmError && error.kind === 'overflow';
    if (!overflow || turn.compacted || !ports.compact) throw error;
    turn.compacted = true;
    const shorter = await ports.compact(turn.messages);
    turn.messages.splice(0, turn.messages.length, ...shorter);
    turn.repeats.forget();
    ports.onProgress({ type: 'compacted' });
    return undefined;
  }
}

/** A cut answer is never stored and its calls never run: half a command is another command. */
function cutOff(turn: Turn, reply: Reply): TurnOutcome | undefined {
  const again =
    reply.calls.length > 0
      ? 'Your call was cut off by the output limit and did not run. Send it again, shorter.'
      : 'Your answer was cut off by the output limit. Say it again, shorter.';
  if (askAgain(turn, 'cut', 'cut', again)) return undefined;
  return fail(turn, new LlmError('truncated', 'the output limit cut two answers'), reply.text);
}

async function answer(turn: Turn, reply: Reply): Promise<TurnOutcome | undefined> {
  const empty = reply.text.trim() === '';
  const refused =
    reply.refusal !== '' ||
    isRefusal(reply.text, operatorText(turn.messages), turn.o.refusalPhrases);
  if (empty || refused) {
    const again = 'Your last answer did not help. Answer the operator, or call a tool.';
    if (askAgain(turn, 'empty', refused ? 'refusal' : 'empty', again)) return undefined;
    const kind = refused ? 'filtered' : 'malformed';
    return fail(turn, new LlmError(kind, 'two answers in a row were empty or refusals'));
  }
  await save(turn, reply, []);
  return end(turn, 'answered', reply.text);
}

function operatorText(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => operatorWords(content))
    .join('\n');
}

function askAgain(
  turn: Turn,
  once: 'empty' | 'cut',
  why: 'empty' | 'refusal' | 'cut',
  nudge: string,
): boolean {
  if (turn.askedAgain.has(once)) return false;
  turn.askedAgain.add(once);
  turn.nudge = nudge;
  turn.o.ports.onProgress({ type: 'asked_again', why });
  return true;
}

async function runCalls(turn: Turn, reply: Reply): Promise<TurnOutcome | undefined> {
  const { ports, registry, signal } = turn.o;
  const calls = withUniqueIds(reply.calls, callIdsIn(turn.messages));
  const stored = await save(turn, reply, calls);
  if (reply.text.trim() !== '') ports.onProgress({ type: 'text', text: reply.text });
  const deps = {
    registry,
    signal,
    repeats: turn.repeats,
    onProgress: (event: Parameters<TurnPorts['onProgress']>[0]) => ports.onProgress(event),
  };
  let spoken = false;
  return answerCalls(turn, stored, reply.text, async (call, ordinal) => {
    // Whoever corrects us must not watch the rest of what he corrects being done.
    spoken ||= await ports.spoken();
    if (spoken) return notStarted(SKIPPED);
    const given = calls[ordinal]?.args ?? call.args;
    const { result, broken } = await runCall(deps, call, given);
    if (broken) turn.broken += 1;
    return result;
  });
}

async function answerOutstanding(turn: Turn): Promise<TurnOutcome | undefined> {
  const { outstanding = [], resumeCall } = turn.o;
  if (outstanding.length === 0) return undefined;
  const last = turn.messages.findLast((message) => message.role === 'assistant');
  return answerCalls(turn, outstanding, last?.content ?? '', async (call) =>
    resumeCall ? resumeCall(call) : notStarted(INTERRUPTED),
  );
}

/** Answers each call exactly once, whatever happens in between, and says whether the turn ends. */
async function answerCalls(
  turn: Turn,
  calls: readonly StoredCall[],
  text: string,
  run: (call: StoredCall, ordinal: number) => Promise<ToolResult>,
): Promise<TurnOutcome | undefined> {
  const results: ToolResult[] = [];
  let stopped = false;
  for (const [ordinal, call] of calls.entries()) {
    stopped ||= await mustStop(turn);
    const closed = results.some(({ ended }) => ended === 'task_done');
    const result = stopped || closed ? notStarted(INTERRUPTED) : await run(call, ordinal);
    await turn.o.ports.saveToolResult(call, result);
    turn.messages.push({ role: 'tool', callId: call.id, content: result.text });
    results.push(result);
  }
  return outcomeOf(turn, results, text, stopped);
}

function outcomeOf(
  turn: Turn,
  results: readonly ToolResult[],
  text: string,
  stopped: boolean,
): TurnOutcome | undefined {
  const done = results.find(({ ended }) => ended === 'task_done');
  if (done) {
    const said = text.trim() === '' ? (done.say ?? done.text) : text;
    return { ...end(turn, 'answered', said), taskDone: true };
  }
  if (stopped) return end(turn, 'stopped', text);
  const parked = results.find((result) => result.parked === true);
  if (parked) return end(turn, 'parked', text.trim() === '' ? (parked.say ?? '') : text);
  if (turn.broken < MAX_BROKEN_CALLS) return undefined;
  return fail(turn, new LlmError('malformed', 'the model kept sending broken calls'));
}

async function summarise(turn: Turn): Promise<TurnOutcome> {
  if (await mustStop(turn)) return end(turn, 'stopped', '');
  turn.nudge =
    'Stop here: this turn has reached its limit of steps. Call no tools. Tell the operator what was done, how things stand and what remains.';
  const reply = await ask(turn, true);
  const text =
    reply.text.trim() === ''
      ? `I stopped after ${turn.steps} steps without a result I can report.`
      : reply.text;
  await save(turn, { ...reply, text }, []);
  return end(turn, 'exhausted', text);
}

async function save(
  turn: Turn,
  reply: Reply,
  calls: AssistantMessage['calls'],
): Promise<readonly StoredCall[]> {
  const message: AssistantMessage = {
    role: 'assistant',
    content: reply.text,
    calls: calls.map((call) => ({ ...call, args: storableArgs(call.args) })),
    ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
  };
  const stored = await turn.o.ports.saveAssistant(message);
  if (stored.length !== calls.length || stored.some(({ id }, i) => id !== calls[i]?.id)) {
    throw new TurnContractError('saveAssistant must answer the calls it was given, in order');
  }
  turn.messages.push(message);
  return stored;
}

/** The port is asked even when the signal has spoken: it knows a stop from a shutdown. */
async function mustStop({ o }: Turn): Promise<boolean> {
  return (await o.ports.stopped()) || o.signal?.aborted === true;
}

function end(turn: Turn, status: TurnStatus, text: string): TurnOutcome {
  return { status, text, taskDone: false, steps: turn.steps, usage: turn.usage };
}

function fail(turn: Turn, error: LlmError, text = ''): TurnOutcome {
  return { ...end(turn, 'failed', text), error };
}
