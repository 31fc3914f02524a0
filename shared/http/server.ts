import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** What stands in the places of a route's `:name` parts. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export type HttpRoute = (request: HttpRequest) => Promise<HttpAnswer> | HttpAnswer;

/** Routes by `METHOD /path`, e.g. `GET /healthz`, `POST /v1/things/:id/done`. */
export type HttpRoutes = Readonly<Record<string, HttpRoute>>;

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;

/** A small server on 127.0.0.1 only; port 0 takes a free one. */
export async function startHttpServer(options: {
  readonly port: number;
  readonly routes: HttpRoutes;
  readonly onError: (error: Error) => void;
}): Promise<HttpServer> {
  const server = createServer((request, response) => {
    answer(request, response, options.routes).catch((error: unknown) => {
      options.onError(error instanceof Error ? error : new Error(String(error)));
      send(response, text(500, 'internal error'));
    });
  });
  server.requestTimeout = 10_000;
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function json(status: number, value: unknown): HttpAnswer {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

export function text(status: number, body: string): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${body}\n` };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: HttpRoutes,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const method = request.method ?? 'GET';
  const found = findRoute(routes, method, url.pathname);
  if (!found) return send(response, text(404, 'not found'));
  const { route, params } = found;
  // A page in the operator's browser must not reach us by a name that resolves to 127.0.0.1.
  if (!isLoopback(request.headers.host)) return send(response, text(403, 'only by loopback name'));
  const body = await readBody(request);
  if (body === undefined) return send(response, text(413, 'too large'));
  const { authorization } = request.headers;
  const query = url.searchParams;
  send(response, await route({ method, path: url.pathname, params, query, authorization, body }));
}

function findRoute(routes: HttpRoutes, method: string, path: string) {
  const parts = path.split('/');
  for (const [name, route] of Object.entries(routes)) {
    const wanted = name.slice(method.length + 1).split('/');
    if (!name.startsWith(`${method} `) || wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, at) => {
      const given = parts[at] ?? '';
      if (!part.startsWith(':')) return part === given;
      params[part.slice(1)] = given;
      return given !== '';
    });
    if (fits) return { route, params };
  }
  return undefined;
}

function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, type, body }: HttpAnswer): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
