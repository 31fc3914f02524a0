import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CommandDeps } from '../command-deps.ts';
import { parseJson } from '../parse-json.ts';
import { reasonOf } from '../reason.ts';
import { readSettings } from '../settings.ts';

export interface ApprovalDeps extends CommandDeps {
  readonly fetch: typeof fetch;
}

const listed = z.object({
  approvals: z.array(
    z.object({
      id: z.string(),
      number: z.number(),
      room: z.string(),
      target: z.string(),
      command: z.string(),
      risk: z.string(),
      phrase: z.string().nullable(),
      expires_at: z.string(),
    }),
  ),
});
type Waiting = z.infer<typeof listed>['approvals'][number];
const outcome = z.object({
  result: z.string().optional(),
  error: z.string().optional(),
  phrase: z.string().optional(),
});

/** Shows the cards that wait; false when the bot does not tell. */
export async function listApprovals(deps: ApprovalDeps): Promise<boolean> {
  const waiting = await readWaiting(deps);
  if (!waiting) return false;
  for (const card of waiting) {
    const say = card.phrase === null ? '' : ` (needs --phrase "${card.phrase}")`;
    deps.terminal.say(`#${card.number} ${card.risk} on ${card.target}${say}, in ${card.room}`);
    for (const line of card.command.split('\n')) deps.terminal.say(`    ${line}`);
  }
  if (waiting.length === 0) deps.terminal.say('Nothing waits.');
  return true;
}

/** Decides one card; false when it was not decided that way. */
export async function decideCard(
  ask: {
    readonly number: string;
    readonly decision: 'granted' | 'denied';
    readonly phrase: string | undefined;
    readonly room: string | undefined;
  },
  deps: ApprovalDeps,
): Promise<boolean> {
  const { terminal } = deps;
  const number = /^#?(\d+)$/.exec(ask.number)?.[1];
  const waiting = number === undefined ? [] : await readWaiting(deps);
  if (!waiting) return false;
  const found = waiting.filter(
    (card) => card.number === Number(number) && (ask.room === undefined || card.room === ask.room),
  );
  const [card] = found;
  if (!card || found.length > 1) {
    terminal.complain(
      card
        ? `Several rooms have a card #${number}: name one with --room ${found.map(({ room }) => room).join(' or ')}.`
        : `No card ${ask.number} waits.`,
    );
    return false;
  }
  const { decision, phrase } = ask;
  const body = JSON.stringify({ decision, via: 'cli', ...(phrase !== undefined && { phrase }) });
  const answer = await request(deps, `/v1/approvals/${card.id}/decision`, { method: 'POST', body });
  const read = outcome.safeParse(answer?.body);
  if (!(answer && read.success)) return false;
  if (answer.ok) {
    terminal.say(`#${card.number} ${read.data.result}.`);
    return true;
  }
  const need = read.data.phrase;
  terminal.complain(
    need === undefined
      ? `#${card.number}: ${read.data.error ?? 'not decided'}.`
      : `#${card.number} destroys something: add --phrase "${need}".`,
  );
  return false;
}

async function readWaiting(deps: ApprovalDeps): Promise<readonly Waiting[] | undefined> {
  const answer = await request(deps, '/v1/approvals', { method: 'GET' });
  if (!answer) return undefined;
  const read = listed.safeParse(answer.body);
  if (read.success) return read.data.approvals;
  const said = outcome.safeParse(answer.body);
  deps.terminal.complain(`The bot does not tell: ${said.data?.error ?? 'it answers otherwise'}.`);
  return undefined;
}

async function request(
  { env, terminal, fetch }: ApprovalDeps,
  path: string,
  init: { readonly method: string; readonly body?: string },
): Promise<{ ok: boolean; body: unknown } | undefined> {
  const token = env['OIKOS_TOKEN'] || fromFile(env['OIKOS_TOKEN_FILE']);
  if (!token) {
    terminal.complain(
      'OIKOS_TOKEN is not set: make one with oikos token create --operator @you:server.',
    );
    return undefined;
  }
  const settings = readSettings(env, ['BOT_HTTP_PORT']);
  if (!settings.ok) {
    for (const problem of settings.problems) terminal.complain(problem);
    return undefined;
  }
  const url = `http://127.0.0.1:${settings.config.BOT_HTTP_PORT}${path}`;
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(10_000) });
    return { ok: answer.ok, body: parseJson(await answer.text()) };
  } catch (error) {
    terminal.complain(`The bot does not answer at ${url} (${reasonOf(error)}). Is it running?`);
    return undefined;
  }
}

function fromFile(path: string | undefined): string | undefined {
  return path ? readFileSync(path, 'utf8').trim() : undefined;
}
