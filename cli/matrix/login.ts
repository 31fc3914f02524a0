import { readFileSync } from 'node:fs';
import { logInWithPassword } from '../../bot/matrix/login.ts';
import { replaceFile } from '../../shared/replace-file.ts';
import { type Check, checkLine, fails, note, ok } from '../check.ts';
import type { CommandDeps } from '../command-deps.ts';
import { setVariables, UnwritableValue } from '../env-file.ts';
import { reasonOf } from '../reason.ts';
import { readSettings } from '../settings.ts';
import { failureCheck } from './failure.ts';

export interface LoginAsk {
  readonly homeserver: string | undefined;
  readonly user: string | undefined;
  /** Where the two variables go; undefined: to the terminal. */
  readonly envFile: string | undefined;
}

export interface LoginDeps extends CommandDeps {
  readonly fetch: typeof fetch;
}

/** Logs the bot's account in and keeps its token. @returns whether that worked; else it was told. */
export async function logIn(ask: LoginAsk, deps: LoginDeps): Promise<boolean> {
  const { terminal } = deps;
  const refuse = (check: Check) => {
    terminal.complain(checkLine(check));
    return false;
  };
  const wanted = await wantedLogin(ask, deps);
  if (!wanted.ok) return refuse(wanted.check);
  const { homeserverUrl, user, password } = wanted;
  const at = { homeserverUrl, fetch: deps.fetch };
  const outcome = await logInWithPassword({ user, password }, at);
  if (!outcome.ok) return refuse(await failureCheck(outcome, at));
  const { userId, accessToken, deviceId } = outcome.session;
  const variables = { MATRIX_HOMESERVER_URL: homeserverUrl, MATRIX_ACCESS_TOKEN: accessToken };
  const failure = keep(variables, ask.envFile, deps);
  if (failure) return refuse(failure);
  for (const check of told(ask, { userId, deviceId }, deps)) terminal.complain(checkLine(check));
  return true;
}

type Wanted =
  | {
      readonly ok: true;
      readonly homeserverUrl: string;
      readonly user: string;
      readonly password: string;
    }
  | { readonly ok: false; readonly check: Check };

async function wantedLogin(ask: LoginAsk, { terminal, env }: LoginDeps): Promise<Wanted> {
  const settings = readSettings(env, ['MATRIX_USER', 'MATRIX_PASSWORD']);
  if (!settings.ok) return { ok: false, check: fails(settings.problems.join('; ')) };
  const { MATRIX_USER, MATRIX_PASSWORD } = settings.config;
  const given = (value: string | undefined, question: string) =>
    value !== undefined || !terminal.interactive ? (value ?? '') : terminal.ask(question);

  const typed = await given(
    ask.homeserver ?? env['MATRIX_HOMESERVER_URL'],
    'Homeserver, like https://matrix.example.org:',
  );
  const homeserverUrl = withScheme(typed);
  if (homeserverUrl === undefined) {
    return {
      ok: false,
      check: fails(`"${typed}" is no homeserver`, 'give --homeserver https://matrix.example.org'),
    };
  }
  const user = await given(ask.user ?? MATRIX_USER, "The bot account's name, like nomos:");
  if (user === '') return { ok: false, check: fails('no account was named', 'give --user nomos') };
  const password = terminal.interactive
    ? await terminal.askHidden(`Password of ${user} (not shown):`)
    : (MATRIX_PASSWORD ?? (await terminal.readLine()));
  if (password === '') {
    return {
      ok: false,
      check: fails('no password was given', 'set MATRIX_PASSWORD, or pipe it in'),
    };
  }
  return { ok: true, homeserverUrl, user, password };
}

/** `matrix.example.org` means https; undefined when it is no address at all. */
function withScheme(typed: string): string | undefined {
  const url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (typed === '' || !URL.canParse(url)) return undefined;
  return url.replace(/\/+$/, '');
}

function keep(
  variables: Readonly<Record<string, string>>,
  envFile: string | undefined,
  { terminal }: LoginDeps,
): Check | undefined {
  if (envFile === undefined) {
    for (const [name, value] of Object.entries(variables)) terminal.say(`${name}=${value}`);
    return undefined;
  }
  try {
    replaceFile(envFile, setVariables(readIfThere(envFile), variables));
    return undefined;
  } catch (error) {
    if (error instanceof UnwritableValue) return fails(error.message);
    return fails(
      `${envFile} cannot be written`,
      `${reasonOf(error)}; --print shows the lines instead`,
    );
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function told(
  { envFile }: LoginAsk,
  { userId, deviceId }: { readonly userId: string; readonly deviceId: string },
  { env }: LoginDeps,
): readonly Check[] {
  const where = envFile === undefined ? 'printed' : `in ${envFile}`;
  const needless = env['MATRIX_PASSWORD'] || env['MATRIX_PASSWORD_FILE'];
  return [
    ok(`${userId} is logged in as device ${deviceId}; its token is ${where}`),
    ...(needless ? [note('MATRIX_PASSWORD is not needed any more', 'take it away')] : []),
  ];
}
