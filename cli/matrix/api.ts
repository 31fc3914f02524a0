import type { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { reasonOf } from '../reason.ts';

export interface MatrixAccess {
  readonly homeserverUrl: string;
  readonly accessToken: string;
  readonly fetch: typeof fetch;
}

export type Fetched<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number | undefined; readonly reason: string };

const PATIENCE_MS = 20_000;

/** One GET of the client-server API; anything but the expected form is a refusal. */
export async function getMatrix<S extends z.ZodType>(
  at: MatrixAccess,
  path: string,
  schema: S,
): Promise<Fetched<z.infer<S>>> {
  try {
    const response = await at.fetch(`${at.homeserverUrl.replace(/\/+$/, '')}${path}`, {
      headers: { Authorization: `Bearer ${at.accessToken}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const parsed = schema.safeParse(parseJson(await response.text()));
    if (response.ok && parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, status: response.status, reason: `HTTP ${response.status}` };
  } catch (error) {
    return { ok: false, status: undefined, reason: reasonOf(error) };
  }
}

/** Ends a login that was made for a check only. */
export async function logOut(at: MatrixAccess): Promise<void> {
  await at.fetch(`${at.homeserverUrl.replace(/\/+$/, '')}/_matrix/client/v3/logout`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${at.accessToken}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}
