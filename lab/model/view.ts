import { z } from 'zod';

const wireMessage = z.object({
  role: z.string(),
  content: z.string().nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        id: z.string(),
        function: z.object({ name: z.string(), arguments: z.string() }),
      }),
    )
    .optional(),
});

/** A chat completion request, as far as the scripted model reads it. */
export const chatRequest = z.object({
  model: z.string(),
  messages: z.array(wireMessage).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z
    .array(
      z.object({
        function: z.object({
          name: z.string(),
          parameters: z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }),
        }),
      }),
    )
    .optional(),
});
export type ChatRequest = z.infer<typeof chatRequest>;
export type WireMessage = z.infer<typeof wireMessage>;

/** A tool's answer together with the call that it answers. */
export interface ToolAnswer {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const RUN_STATES = [
  'waiting',
  'running',
  'completed',
  'failed',
  'denied',
  'refused',
  'lost',
  'expired',
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** What is known of one call of `run`, from its answer and from later notes about it. */
export interface Run {
  readonly number?: number;
  readonly target: string;
  readonly command: string;
  readonly state: RunState;
  readonly exitCode?: number;
  /** The line that told its state. */
  readonly headline: string;
  readonly output: string;
}

/** A request as rules look at it: everything is derived from the request's own messages. */
export interface View {
  readonly messages: readonly WireMessage[];
  /** Names of the tools offered, with their first argument's name. */
  readonly tools: ReadonlyMap<string, string | undefined>;
  /** The operator's last words. */
  readonly words: string;
  /** True when nothing happened since these words. */
  readonly fresh: boolean;
  /** The last message, if it is Oikos telling how executions went. */
  readonly note: string | undefined;
  /** Answers of tools since the last user-role message. */
  readonly answers: readonly ToolAnswer[];
  /** Runs since the operator's last words, oldest first. */
  readonly runs: readonly Run[];
  /** What the model said last since these words. */
  readonly said: string;
  /** How often the very same request came before. */
  readonly attempt: number;
}

const NOTE = /^\[oikos\] /;
const CONTEXT = /^\[oikos context\][\s\S]{0,100000}?\[end of oikos context\]\s*/;

export function viewOf(request: ChatRequest, attempt = 0): View {
  const { messages } = request;
  const asked = messages.findLastIndex(isWords);
  const since = messages.slice(asked + 1);
  const last = messages.at(-1);
  return {
    messages,
    tools: new Map(
      request.tools?.map(({ function: { name, parameters } }) => [
        name,
        Object.keys(parameters.properties ?? {})[0],
      ]),
    ),
    words: (messages[asked]?.content ?? '').replace(CONTEXT, '').trim(),
    fresh: asked === messages.length - 1,
    note: last && isNote(last) ? (last.content ?? '') : undefined,
    answers: answersIn(messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)),
    runs: runsIn(since),
    said: since.findLast(({ role, content }) => role === 'assistant' && content)?.content ?? '',
    attempt,
  };
}

function isNote({ role, content }: WireMessage): boolean {
  return role === 'user' && NOTE.test(content ?? '');
}

function isWords(message: WireMessage): boolean {
  return message.role === 'user' && !isNote(message);
}

function answersIn(messages: readonly WireMessage[]): readonly ToolAnswer[] {
  const calls = messages.flatMap(({ tool_calls: list = [] }) => list);
  return messages
    .filter(({ role }) => role === 'tool')
    .map((message) => {
      const call = calls.find(({ id }) => id === message.tool_call_id)?.function;
      return {
        name: call?.name ?? '',
        args: parseArgs(call?.arguments ?? '{}'),
        text: message.content ?? '',
      };
    });
}

function parseArgs(text: string): Readonly<Record<string, unknown>> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    return {};
  }
}

function runsIn(messages: readonly WireMessage[]): readonly Run[] {
  const runs: Run[] = [];
  const calls = new Map(
    messages.flatMap(({ tool_calls: list = [] }) => list.map((call) => [call.id, call.function])),
  );
  for (const message of messages) {
    const call = message.role === 'tool' ? calls.get(message.tool_call_id ?? '') : undefined;
    if (call?.name === 'run') {
      runs.push(readRun(parseArgs(call.arguments), message.content ?? ''));
    }
    if (isNote(message)) {
      for (const note of splitNotes(message.content ?? '')) applyNote(runs, note);
    }
  }
  return runs;
}

/** One message may tell of several executions, each under its own header line. */
function splitNotes(content: string): readonly string[] {
  return content.split(/^(?=\[oikos\] )/m).map((note) => note.replace(NOTE, ''));
}

function applyNote(runs: Run[], note: string): void {
  const news = readNews(note);
  const isOpen = ({ state }: Run): boolean => state === 'waiting' || state === 'running';
  const wanted = [
    ({ number }: Run) => number !== undefined && number === news.number,
    (run: Run) => isOpen(run) && run.command !== '' && news.headline.includes(run.command),
    isOpen,
  ];
  const at = wanted.map((fits) => runs.findLastIndex(fits)).find((index) => index >= 0) ?? -1;
  const run = runs[at];
  if (run) runs[at] = { ...run, ...news };
}

function readRun(args: Readonly<Record<string, unknown>>, text: string): Run {
  const { target, command } = args;
  return {
    target: typeof target === 'string' ? target : '',
    command: typeof command === 'string' ? command : '',
    ...readNews(text),
  };
}

type News = Pick<Run, 'state' | 'headline' | 'output' | 'number' | 'exitCode'>;

const FENCED = /^<<<output (\S+) [^\n]*\n([\s\S]*?)\n?>>>end \1$/gm;

/** Reads a run's answer or a note: the state from the text outside of the fences, output from within. */
export function readNews(text: string): News {
  const fenced = [...text.matchAll(FENCED)].map((match) => match[2] ?? '');
  const told = text.replace(FENCED, '').trim();
  const [headline = '', ...rest] = told.split('\n');
  const number = /^\s*#(\d+)|\bas #(\d+)/.exec(headline);
  const { state, exitCode } = stateIn(headline);
  return {
    state,
    headline,
    output: fenced.length > 0 ? fenced.join('\n') : rest.join('\n').replace('(no output)', ''),
    ...(number ? { number: Number(number[1] ?? number[2]) } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/** The command follows the state after a colon, and may itself hold any of these words. */
function stateIn(headline: string): { state: RunState; exitCode?: number } {
  for (const segment of headline.split(': ')) {
    const exit = /\bexit(?:ed)?(?:\s+(?:code|status|with))*[\s:=]*(-?\d+)/i.exec(segment)?.[1];
    const state = stateWord(segment) ?? (exit === undefined ? undefined : 'completed');
    if (state === undefined) continue;
    if (exit === undefined) return { state };
    const exitCode = Number(exit);
    return { state: state === 'completed' && exitCode !== 0 ? 'failed' : state, exitCode };
  }
  return { state: /^error\b/i.test(headline) ? 'refused' : 'completed' };
}

function stateWord(segment: string): RunState | undefined {
  const word = /\b(completed|failed|denied|refused|lost|expired|cancelled|withdrawn)\b/i
    .exec(segment)?.[1]
    ?.toLowerCase();
  if (word !== undefined) return word === 'withdrawn' ? 'cancelled' : toState(word);
  if (/\b(?:waits?|waiting|pending)\b/i.test(segment)) return 'waiting';
  const going = /\b(?:still running|about to start|being looked at)\b/i;
  return going.test(segment) ? 'running' : undefined;
}

function toState(word: string): RunState | undefined {
  return RUN_STATES.find((state) => state === word);
}
