import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const Problem = z.object({
  errcode: z.string().catch(''),
  error: z.string().catch(''),
  retry_after_ms: z.number().optional().catch(undefined),
});

export class MatrixApiError extends Error {
  override readonly name = 'MatrixApiError';
  readonly status: number;
  readonly errcode: string;
  constructor(request: string, status: number, errcode: string, detail: string) {
    super(`${request} answered ${status} ${errcode} ${detail}`.trim());
    this.status = status;
    this.errcode = errcode;
  }
}

/** One request of the client-server API; rate limits are waited out. */
export type MatrixApi = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
) => Promise<unknown>;

/** The plain client-server API over fetch, without any client library. */
export function createMatrixApi(at: {
  url: string;
  token?: string;
  signal?: AbortSignal;
}): MatrixApi {
  const headers = {
    'Content-Type': 'application/json',
    ...(at.token === undefined ? {} : { Authorization: `Bearer ${at.token}` }),
  };
  return async (method, path, body) => {
    for (;;) {
      const response = await fetch(`${at.url}/_matrix/client/v3${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(at.signal === undefined ? {} : { signal: at.signal }),
      });
      const json: unknown = await response.json().catch(() => ({}));
      if (response.ok) return json;
      if (response.status !== 429) throw problemOf(`${method} ${path}`, response.status, json);
      await sleep(Problem.safeParse(json).data?.retry_after_ms ?? 1_000);
    }
  };
}

function problemOf(request: string, status: number, json: unknown): MatrixApiError {
  const { errcode = '', error = '' } = Problem.safeParse(json).data ?? {};
  return new MatrixApiError(request.split('?')[0] ?? request, status, errcode, error);
}
