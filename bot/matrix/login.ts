import { z } from 'zod';

export interface MatrixSession {
  userId: string;
  accessToken: string;
  /** Empty for tokens that belong to no device, such as an admin's. */
  deviceId: string;
}

export const LOGIN_FAILURES = [
  'unreachable',
  'no_homeserver',
  'wrong_credentials',
  'wrong_token',
  'wrong_user',
  'refused',
] as const;
export type LoginFailure = (typeof LOGIN_FAILURES)[number];

export type LoginOutcome =
  | { ok: true; session: MatrixSession }
  /** `message` is one sentence for the operator. */
  | { ok: false; why: LoginFailure; message: string };

export interface LoginDeps {
  homeserverUrl: string;
  fetch: typeof fetch;
  /** For each request. */
  timeoutMs?: number;
}

type Failed = Extract<LoginOutcome, { ok: false }>;
type Answer = { ok: true; status: number; body: unknown } | Failed;

const Versions = z.object({ versions: z.array(z.string()).min(1) });
const Problem = z.object({ errcode: z.string(), error: z.string().catch('') });
const LoggedIn = z.object({ user_id: z.string(), access_token: z.string(), device_id: z.string() });
const WhoAmI = z.object({ user_id: z.string(), device_id: z.string().catch('') });

/** Logs in with a password. Give the device id of last time, else every start adds a device. */
export async function logInWithPassword(
  who: { user: string; password: string; deviceId?: string },
  deps: LoginDeps,
): Promise<LoginOutcome> {
  const missing = await checkHomeserver(deps);
  if (missing !== null) return missing;
  const answer = await ask('POST', '/_matrix/client/v3/login', deps, {
    body: {
      type: 'm.login.password',
      identifier: { type: 'm.id.user', user: who.user },
      password: who.password,
      initial_device_display_name: 'Oikos',
      ...(who.deviceId === undefined ? {} : { device_id: who.deviceId }),
    },
  });
  if (!answer.ok) return answer;
  if (answer.status === 403) {
    return failed(
      'wrong_credentials',
      `${deps.homeserverUrl} does not accept this password for ${who.user}`,
    );
  }
  const login = LoggedIn.safeParse(answer.body);
  if (!login.success) return refused(deps, answer);
  const { user_id, access_token, device_id } = login.data;
  return { ok: true, session: { userId: user_id, accessToken: access_token, deviceId: device_id } };
}

/** Finds out whose token this is; with `expectedUser` (a full Matrix id) it must be theirs. */
export async function checkToken(
  token: { accessToken: string; expectedUser?: string },
  deps: LoginDeps,
): Promise<LoginOutcome> {
  const missing = await checkHomeserver(deps);
  if (missing !== null) return missing;
  const { accessToken, expectedUser } = token;
  const answer = await ask('GET', '/_matrix/client/v3/account/whoami', deps, { accessToken });
  if (!answer.ok) return answer;
  if (answer.status === 401) {
    return failed(
      'wrong_token',
      `${deps.homeserverUrl} does not know this access token; log in again`,
    );
  }
  const who = WhoAmI.safeParse(answer.body);
  if (!who.success) return refused(deps, answer);
  const { user_id: userId, device_id: deviceId } = who.data;
  if (expectedUser !== undefined && expectedUser !== userId) {
    return failed('wrong_user', `this access token belongs to ${userId}, not to ${expectedUser}`);
  }
  return { ok: true, session: { userId, accessToken, deviceId } };
}

async function checkHomeserver(deps: LoginDeps): Promise<Failed | null> {
  const answer = await ask('GET', '/_matrix/client/versions', deps, {});
  if (!answer.ok) return answer;
  if (Versions.safeParse(answer.body).success) return null;
  return failed(
    'no_homeserver',
    `${deps.homeserverUrl} answers, but not as a Matrix homeserver (HTTP ${answer.status}); use the client API's address`,
  );
}

async function ask(
  method: string,
  path: string,
  deps: LoginDeps,
  extra: { body?: object; accessToken?: string },
): Promise<Answer> {
  const { homeserverUrl, timeoutMs = 20_000 } = deps;
  const authorization =
    extra.accessToken === undefined ? {} : { Authorization: `Bearer ${extra.accessToken}` };
  try {
    const response = await deps.fetch(homeserverUrl.replace(/\/+$/, '') + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...authorization },
      signal: AbortSignal.timeout(timeoutMs),
      ...(extra.body === undefined ? {} : { body: JSON.stringify(extra.body) }),
    });
    return { ok: true, status: response.status, body: parseJson(await response.text()) };
  } catch (error) {
    return failed('unreachable', `${homeserverUrl} cannot be reached (${reasonOf(error)})`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refused(deps: LoginDeps, answer: { status: number; body: unknown }): Failed {
  const problem = Problem.safeParse(answer.body);
  const said = problem.success
    ? `${problem.data.errcode} ${problem.data.error}`.trim()
    : `HTTP ${answer.status}`;
  return failed('refused', `${deps.homeserverUrl} refused the login: ${said}`);
}

function failed(why: LoginFailure, message: string): Failed {
  return { ok: false, why, message };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}
