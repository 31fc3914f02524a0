import { randomUUID } from 'node:crypto';
import { checkToken, logInWithPassword, type MatrixSession } from '../../bot/matrix/login.ts';
import { type Check, fails, ok } from '../check.ts';
import { type Env, readSettings } from '../settings.ts';
import { logOut, type MatrixAccess } from './api.ts';
import { failureCheck } from './failure.ts';
import { roomChecks } from './room-checks.ts';
import { readInvitations, readRooms } from './rooms.ts';

/** Whether the bot reaches its homeserver, who it is there, and who would be heard. */
export async function checkMatrix(
  env: Env,
  { fetch }: { readonly fetch: typeof globalThis.fetch },
): Promise<readonly Check[]> {
  const settings = readSettings(env, [
    'MATRIX_HOMESERVER_URL',
    'MATRIX_ACCESS_TOKEN',
    'MATRIX_USER',
    'MATRIX_PASSWORD',
  ]);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const { MATRIX_HOMESERVER_URL: homeserverUrl, ...account } = settings.config;
  const at = { homeserverUrl, fetch };
  const { MATRIX_ACCESS_TOKEN: token, MATRIX_USER: user, MATRIX_PASSWORD: password } = account;
  if (token !== undefined) {
    const outcome = await checkToken({ accessToken: token }, at);
    return outcome.ok
      ? lookAround(outcome.session, 'token', at, env)
      : [await failureCheck(outcome, at)];
  }
  if (user === undefined || password === undefined) {
    return [fails('MATRIX_ACCESS_TOKEN is not set', 'oikos matrix login writes it')];
  }
  const outcome = await logInWithPassword({ user, password }, at);
  if (!outcome.ok) return [await failureCheck(outcome, at)];
  try {
    return await lookAround(outcome.session, 'password', at, env);
  } finally {
    await logOut({ ...at, accessToken: outcome.session.accessToken });
  }
}

async function lookAround(
  { userId, accessToken, deviceId }: MatrixSession,
  by: 'token' | 'password',
  at: Omit<MatrixAccess, 'accessToken'>,
  env: Env,
): Promise<readonly Check[]> {
  const access = { ...at, accessToken };
  const device = by === 'token' && deviceId !== '' ? `, device ${deviceId}` : '';
  const greeted = [
    ok(`${at.homeserverUrl} is a homeserver`),
    ok(`the ${by} is accepted and is ${userId}'s${device}`),
  ];
  const rooms = await readRooms(access);
  if (!rooms.ok) return [...greeted, fails(`the rooms cannot be read (${rooms.reason})`)];
  const invitations = await readInvitations(access, userId, randomUUID());
  if (!invitations.ok) {
    return [...greeted, fails(`the invitations cannot be read (${invitations.reason})`)];
  }
  return [...greeted, ...roomChecks(userId, rooms.value, invitations.value, operatorsIn(env))];
}

/** One by one, so that one wrong id does not hide the others. */
function operatorsIn(env: Env): readonly string[] {
  const listed = env['MATRIX_OPERATORS'] ?? '';
  return listed.split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]));
}
