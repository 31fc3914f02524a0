import { eq, sql } from 'drizzle-orm';
import type { BotConfig } from '../shared/config.ts';
import type { Db } from '../shared/db/client.ts';
import { matrixState } from '../shared/db/schema.ts';
import { checkToken, logInWithPassword, type MatrixSession } from './matrix/login.ts';

/** A setting of the Matrix account is wrong; the message says what to do. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
}

const DEVICE_KEY = 'device_id';

/**
 * Finds out who we are. With a password the device of last time is used again: transaction ids
 * count per device, and a new one would let a repeated send show twice.
 */
export async function identify(config: BotConfig, db: Db): Promise<MatrixSession> {
  const deps = { homeserverUrl: config.matrixHomeserverUrl, fetch: globalThis.fetch };
  if (config.matrixAccessToken !== undefined) {
    const known = await checkToken({ accessToken: config.matrixAccessToken }, deps);
    if (!known.ok) throw new LoginRefused(known.message);
    return known.session;
  }
  const [row] = await db.select().from(matrixState).where(eq(matrixState.key, DEVICE_KEY));
  const login = await logInWithPassword(
    {
      user: config.matrixUser ?? '',
      password: config.matrixPassword ?? '',
      ...(row && { deviceId: row.value }),
    },
    deps,
  );
  if (!login.ok) throw new LoginRefused(login.message);
  await db
    .insert(matrixState)
    .values({ key: DEVICE_KEY, value: login.session.deviceId })
    .onConflictDoUpdate({ target: matrixState.key, set: { value: sql`excluded.value` } });
  return login.session;
}
