import { createHmac } from 'node:crypto';
import { z } from 'zod';

const Nonce = z.object({ nonce: z.string() });
const Login = z.object({ user_id: z.string(), access_token: z.string(), device_id: z.string() });
const Problem = z.object({ errcode: z.string().default(''), error: z.string().default('') });

export interface SynapseLogin {
  userId: string;
  accessToken: string;
  deviceId: string;
}

export class SynapseRequestError extends Error {
  override readonly name = 'SynapseRequestError';
  readonly status: number;
  readonly errcode: string;
  constructor(request: string, status: number, errcode: string, detail: string) {
    super(`${request} answered ${status} ${errcode} ${detail}`.trim());
    this.status = status;
    this.errcode = errcode;
  }
}

/** Registers a user by the server's shared secret; a user who is there already is left alone. */
export async function registerUser(user: {
  url: string;
  secret: string;
  name: string;
  password: string;
  admin: boolean;
}): Promise<void> {
  const path = '/_synapse/admin/v1/register';
  const { nonce } = Nonce.parse(await call(user.url, 'GET', path));
  const { name: username, password, admin } = user;
  const signed = [nonce, username, password, admin ? 'admin' : 'notadmin'].join('\0');
  const mac = createHmac('sha1', user.secret).update(signed).digest('hex');
  try {
    await call(user.url, 'POST', path, {
      nonce,
      username,
      password,
      admin,
      mac,
      inhibit_login: true,
    });
  } catch (error) {
    if (error instanceof SynapseRequestError && error.errcode === 'M_USER_IN_USE') return;
    throw error;
  }
}

/** Logs in; a given device id is reused, so that restarts do not pile up devices. */
export async function loginUser(user: {
  url: string;
  name: string;
  password: string;
  deviceId: string | undefined;
}): Promise<SynapseLogin> {
  const answer = await call(user.url, 'POST', '/_matrix/client/v3/login', {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: user.name },
    password: user.password,
    device_id: user.deviceId,
    initial_device_display_name: 'Oikos lab',
  });
  const { user_id, access_token, device_id } = Login.parse(answer);
  return { userId: user_id, accessToken: access_token, deviceId: device_id };
}

/**
 * Gives one user rate limits of its own (admin API), null takes them away again. The lab's
 * server has none, so this is how a test meets real ones.
 */
export async function overrideRateLimit(ask: {
  url: string;
  adminToken: string;
  userId: string;
  limit: { messagesPerSecond: number; burstCount: number } | null;
}): Promise<void> {
  const path = `/_synapse/admin/v1/users/${encodeURIComponent(ask.userId)}/override_ratelimit`;
  if (ask.limit === null) {
    await call(ask.url, 'DELETE', path, undefined, ask.adminToken);
    return;
  }
  const body = {
    messages_per_second: ask.limit.messagesPerSecond,
    burst_count: ask.limit.burstCount,
  };
  await call(ask.url, 'POST', path, body, ask.adminToken);
}

async function call(
  url: string,
  method: string,
  path: string,
  body?: object,
  token?: string,
): Promise<unknown> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const json: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return json;
  const problem = Problem.safeParse(json);
  const { errcode, error } = problem.success ? problem.data : { errcode: '', error: '' };
  throw new SynapseRequestError(`${method} ${path}`, answer.status, errcode, error);
}
