import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Fault, replyTo, type Scenario, type ScriptedReply } from './scenario.ts';
import { demoScenario } from './scenarios/demo.ts';
import { chunksOf, type Envelope, wholeOf } from './stream.ts';
import { type ChatRequest, chatRequest, viewOf } from './view.ts';

export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map([['demo', demoScenario]]);
export const MODEL_NAME = 'scripted';

export interface RecordedRequest {
  readonly body: ChatRequest;
  readonly authorization: string | undefined;
  /** Name of the rule that answered. */
  readonly rule: string;
}

export interface ModelServer {
  /** Base URL as settings want it: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** Chat requests in the order they came. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

export interface ModelServerOptions {
  /** 0 or left out: any free port. */
  readonly port?: number;
  readonly scenario: Scenario;
  /** The only key accepted; any key where left out. */
  readonly apiKey?: string;
}

/** An OpenAI-compatible endpoint on 127.0.0.1 whose answers are scripted. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const seen = new Map<string, number>();
  const server = createServer((req, res) => {
    serve(req, res, { ...options, requests, seen }).catch((error: unknown) => {
      if (!res.headersSent) sendError(res, { status: 500, message: String(error) });
      else res.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Service extends ModelServerOptions {
  readonly requests: RecordedRequest[];
  /** How often each request body came. */
  readonly seen: Map<string, number>;
}

async function serve(req: IncomingMessage, res: ServerResponse, service: Service): Promise<void> {
  const { authorization } = req.headers;
  if (service.apiKey !== undefined && authorization !== `Bearer ${service.apiKey}`) {
    return sendError(res, { status: 401, message: 'Incorrect API key provided' });
  }
  const path = new URL(req.url ?? '/', 'http://localhost').pathname;
  if (req.method === 'GET' && path === '/v1/models') {
    return sendJson(res, 200, { object: 'list', data: [{ id: MODEL_NAME, object: 'model' }] });
  }
  if (req.method === 'POST' && path === '/v1/chat/completions') {
    return answerChat(await readBody(req), res, service, authorization);
  }
  sendError(res, { status: 404, message: `no such path: ${path}` });
}

async function answerChat(
  text: string,
  res: ServerResponse,
  service: Service,
  authorization: string | undefined,
): Promise<void> {
  const parsed = chatRequest.safeParse(parseJson(text));
  if (!parsed.success) return sendError(res, { status: 400, message: parsed.error.message });
  const digest = createHash('sha256').update(text).digest('hex');
  const attempt = service.seen.get(digest) ?? 0;
  service.seen.set(digest, attempt + 1);
  const { rule, reply } = replyTo(service.scenario, viewOf(parsed.data, attempt));
  service.requests.push({ body: parsed.data, authorization, rule });
  await send(res, parsed.data, reply, {
    id: `chatcmpl-${digest.slice(0, 12)}`,
    model: parsed.data.model,
    callsBefore: parsed.data.messages.flatMap((message) => message.tool_calls ?? []).length,
    promptTokens: Math.ceil(text.length / 4),
  });
}

async function send(
  res: ServerResponse,
  request: ChatRequest,
  reply: ScriptedReply,
  envelope: Envelope,
): Promise<void> {
  const { fault } = reply;
  if (fault?.kind === 'status') return sendError(res, fault);
  if (fault?.kind === 'html') {
    res.writeHead(200, { 'content-type': 'text/html' });
    res.end('<!doctype html><title>Welcome</title><p>It works!');
    return;
  }
  if (fault?.kind === 'slow_start') await delay(fault.delayMs);
  if (request.stream !== true) return sendJson(res, 200, wholeOf(reply, envelope));
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const withUsage = request.stream_options?.include_usage === true;
  const chunks = chunksOf(reply, envelope, withUsage);
  return fault ? sendFaulty(res, chunks, fault) : sendChunks(res, chunks, true);
}

async function sendFaulty(
  res: ServerResponse,
  chunks: readonly object[],
  fault: Exclude<Fault, { kind: 'status' | 'html' }>,
): Promise<void> {
  const some = chunks.slice(0, Math.max(2, Math.floor(chunks.length / 2)));
  switch (fault.kind) {
    case 'slow_start':
      return sendChunks(res, chunks, true);
    case 'stall':
      return sendChunks(res, some, false);
    case 'cut':
      await sendChunks(res, some, false);
      res.destroy();
      return;
    case 'no_finish':
      return sendChunks(res, some, true);
    case 'error_in_stream':
      return sendChunks(
        res,
        [...some, { error: { code: 502, message: fault.message }, choices: [] }],
        true,
      );
  }
}

/** Each chunk in its own write, so that clients see a stream and not one block. */
async function sendChunks(
  res: ServerResponse,
  chunks: readonly object[],
  complete: boolean,
): Promise<void> {
  for (const chunk of chunks) {
    await new Promise((resolve) => res.write(`data: ${JSON.stringify(chunk)}\n\n`, resolve));
  }
  if (complete) res.end('data: [DONE]\n\n');
}

function sendError(
  res: ServerResponse,
  error: { status: number; message?: string; code?: string; retryAfterS?: number },
): void {
  if (error.retryAfterS !== undefined) res.setHeader('retry-after', String(error.retryAfterS));
  const { message = `error ${error.status}`, code = null } = error;
  sendJson(res, error.status, { error: { message, type: 'error', code } });
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      scenario: { type: 'string', default: 'demo' },
    },
  });
  const scenario = SCENARIOS.get(values.scenario);
  if (!scenario) {
    console.error(`no scenario ${values.scenario}; there are: ${[...SCENARIOS.keys()].join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const server = await startModelServer({ port: Number(values.port), scenario });
  console.log(`scripted model at ${server.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close());
  }
}

if (import.meta.main) await main();
