import { afterEach, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../shared/http/server.ts';
import { healthRoutes } from './health.ts';
import { createDaemonMetrics } from './metrics.ts';

let server: HttpServer | undefined;
afterEach(() => server?.close());

async function ask(path: string, checks = {}, host?: string) {
  const routes = healthRoutes({ metrics: createDaemonMetrics(), checks });
  server = await startHttpServer({ port: 0, routes, onError: () => undefined });
  const url = `http://${host ?? '127.0.0.1'}:${server.port}${path}`;
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
}

it('is alive whatever is missing', async () => {
  expect(await ask('/healthz')).toEqual({ status: 200, body: 'ok\n' });
});

it('names what is missing', async () => {
  const answer = await ask('/readyz', {
    database: async () => undefined,
    queue: async () => 'no answer',
    keys: () => Promise.reject(new Error('cannot read /k')),
  });
  expect(answer.status).toBe(503);
  expect(JSON.parse(answer.body)).toEqual({
    ready: false,
    missing: { queue: 'no answer', keys: 'cannot read /k' },
  });
});

it('is ready when nothing is missing', async () => {
  expect((await ask('/readyz', { database: async () => undefined })).status).toBe(200);
});

it('shows its counters, and nothing else', async () => {
  expect((await ask('/metrics')).body).toContain('oikos_executions_total');
  await server?.close();
  expect((await ask('/constructor')).status).toBe(404);
});
