import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import {
  cancelledBy,
  type HttpDeps,
  MatrixTimeoutError,
  type SdkRequest,
  sendWithRetries,
} from './http.ts';

const request: SdkRequest = {
  uri: 'http://hs.test/_matrix/client/v3/rooms/r/send/m.room.message/t1',
  method: 'PUT',
  body: '{}',
};

/** A server that gives these answers one after another, the last one for ever. */
function server(...answers: (() => Promise<Response>)[]): { deps: HttpDeps; calls: string[] } {
  const calls: string[] = [];
  const send: typeof fetch = (url, init) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)];
    calls.push(`${init?.method} ${String(url)}`);
    const aborted = new Promise<never>((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    );
    return Promise.race([answer?.() ?? Promise.reject(new Error('no answer')), aborted]);
  };
  return { calls, deps: { fetch: send, clock: () => 0, random: () => 0 } };
}

const ok = async () => new Response('{"event_id":"$1"}');
const limited = async () => new Response('{"retry_after_ms":50}', { status: 429 });
const broken = () => Promise.reject(new TypeError('fetch failed'));
const never = () => new Promise<Response>(() => undefined);

describe('a request of the SDK', () => {
  it('waits out a rate limit and a broken connection', async () => {
    const { deps, calls } = server(limited, broken, ok);
    expect(await sendWithRetries(request, deps)).toMatchObject({
      statusCode: 200,
      body: '{"event_id":"$1"}',
    });
    expect(calls).toHaveLength(3);
  });

  it('is not sent twice when it is a POST without an answer', async () => {
    const { deps, calls } = server(broken, ok);
    await expect(sendWithRetries({ ...request, method: 'POST' }, deps)).rejects.toThrow(
      'fetch failed',
    );
    expect(calls).toHaveLength(1);
  });

  it('appends its query, leaving out what is undefined', async () => {
    const { deps, calls } = server(ok);
    await sendWithRetries(
      { uri: 'http://hs.test/x', method: 'GET', qs: { a: ['1', '2'], b: undefined, c: 'ä&' } },
      deps,
    );
    expect(calls).toEqual(['GET http://hs.test/x?a=1&a=2&c=%C3%A4%26']);
  });

  it('gives bytes to whoever asks for bytes', async () => {
    const { deps } = server(ok);
    const { body } = await sendWithRetries({ ...request, encoding: null }, deps);
    expect(body).toBeInstanceOf(Buffer);
  });

  it('gives up on a silent server', async () => {
    const { deps } = server(never);
    const silent = sendWithRetries({ ...request, method: 'POST', timeout: 20 }, deps);
    await expect(silent).rejects.toBeInstanceOf(MatrixTimeoutError);
  });

  it('ends at once when it is cancelled, also while it waits for a retry', async () => {
    const { deps } = server(never);
    const cancel = new AbortController();
    const pending = sendWithRetries(request, deps, cancel.signal);
    cancel.abort(new Error('stopping'));
    await expect(pending).rejects.toThrow('stopping');

    const waiting = server(broken);
    const later = new AbortController();
    const retrying = sendWithRetries(
      request,
      { ...waiting.deps, onRetry: () => later.abort() },
      later.signal,
    );
    await expect(retrying).rejects.toThrow();
    expect(waiting.calls).toHaveLength(1);
  });
});

it('scopes a cancellation to the work that was given it', async () => {
  const signal = new AbortController().signal;
  expect(await cancelledBy(signal, async () => 'done')).toBe('done');
});

it('keeps the deprecated request package out: the SDK finds our stand-in', () => {
  const fromSdk = createRequire(createRequire(import.meta.url).resolve('matrix-bot-sdk'));
  const ours = new URL('../../vendor/', import.meta.url).pathname;
  for (const name of ['request', 'request-promise', '@matrix-org/matrix-sdk-crypto-nodejs']) {
    expect(fromSdk.resolve(name).startsWith(ours), name).toBe(true);
  }
});
