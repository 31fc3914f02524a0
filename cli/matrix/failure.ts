import type { LoginFailure } from '../../bot/matrix/login.ts';
import { type Check, fails } from '../check.ts';
import { findClientApi } from './well-known.ts';

const REMEDY: Readonly<Record<LoginFailure, string | undefined>> = {
  unreachable: 'check MATRIX_HOMESERVER_URL, and that the homeserver runs',
  no_homeserver: 'give the address of its client API as MATRIX_HOMESERVER_URL',
  wrong_credentials: 'check name and password, or log in with Element to see that they are right',
  wrong_token: 'oikos matrix login writes a new one',
  wrong_user: 'log in as the bot',
  refused: undefined,
};

/** Why nobody was logged in, with the homeserver's right address where it can be found. */
export async function failureCheck(
  { why, message }: { readonly why: LoginFailure; readonly message: string },
  at: { readonly homeserverUrl: string; readonly fetch: typeof fetch },
): Promise<Check> {
  const found =
    why === 'no_homeserver' ? await findClientApi(at.homeserverUrl, at.fetch) : undefined;
  if (found === undefined) return fails(message, REMEDY[why]);
  return fails(message, `this server says that its client API is at ${found}`);
}
