import { describe, expect, it } from 'vitest';
import { checkToken, type LoginDeps, logInWithPassword } from './login.ts';

/** A homeserver that answers these paths; null is a closed port. */
function homeserver(answers: Record<string, [status: number, body: unknown]> | null): LoginDeps {
  const versions: [number, unknown] = [200, { versions: ['v1.11'] }];
  const all: Record<string, [number, unknown]> = {
    '/_matrix/client/versions': versions,
    ...answers,
  };
  const send: typeof fetch = async (url) => {
    if (answers === null) {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
      });
    }
    const [status, body] = all[new URL(String(url)).pathname] ?? [404, '<html>'];
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  };
  return { homeserverUrl: 'http://hs.test/', fetch: send };
}

const login = '/_matrix/client/v3/login';
const whoami = '/_matrix/client/v3/account/whoami';

describe('a login with a password', () => {
  const nomos = { user: 'nomos', password: 'secret' };

  it('gives a session', async () => {
    const deps = homeserver({
      [login]: [200, { user_id: '@nomos:hs', access_token: 't', device_id: 'D' }],
    });
    expect(await logInWithPassword(nomos, deps)).toEqual({
      ok: true,
      session: { userId: '@nomos:hs', accessToken: 't', deviceId: 'D' },
    });
  });

  it.each([
    ['the server is away', null, 'unreachable', 'http://hs.test/ cannot be reached (ECONNREFUSED)'],
    [
      'the address is a web page',
      { '/_matrix/client/versions': [200, '<html>'] as [number, unknown] },
      'no_homeserver',
      "http://hs.test/ answers, but not as a Matrix homeserver (HTTP 200); use the client API's address",
    ],
    [
      'the password is wrong',
      { [login]: [403, { errcode: 'M_FORBIDDEN', error: 'Invalid' }] as [number, unknown] },
      'wrong_credentials',
      'http://hs.test/ does not accept this password for nomos',
    ],
    [
      'the server wants something else',
      {
        [login]: [400, { errcode: 'M_UNKNOWN', error: 'no password logins' }] as [number, unknown],
      },
      'refused',
      'http://hs.test/ refused the login: M_UNKNOWN no password logins',
    ],
  ])('says clearly when %s', async (_what, answers, why, message) => {
    expect(await logInWithPassword(nomos, homeserver(answers))).toEqual({
      ok: false,
      why,
      message,
    });
  });
});

describe('an access token', () => {
  const mine: [number, unknown] = [200, { user_id: '@nomos:hs', device_id: 'D' }];

  it('is known to the server', async () => {
    const outcome = await checkToken({ accessToken: 't' }, homeserver({ [whoami]: mine }));
    expect(outcome).toEqual({
      ok: true,
      session: { userId: '@nomos:hs', accessToken: 't', deviceId: 'D' },
    });
  });

  it('that the server does not know asks for a new login', async () => {
    const unknown: [number, unknown] = [401, { errcode: 'M_UNKNOWN_TOKEN', error: '' }];
    expect(await checkToken({ accessToken: 't' }, homeserver({ [whoami]: unknown }))).toMatchObject(
      {
        why: 'wrong_token',
      },
    );
  });

  it('of somebody else is not taken', async () => {
    const ask = { accessToken: 't', expectedUser: '@other:hs' };
    expect(await checkToken(ask, homeserver({ [whoami]: mine }))).toMatchObject({
      why: 'wrong_user',
      message: 'this access token belongs to @nomos:hs, not to @other:hs',
    });
  });
});
