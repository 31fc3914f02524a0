import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  asked,
  type Fault,
  rule,
  type Scenario,
  type ScriptedReply,
} from '../../lab/model/scenario.ts';
import { MODEL_NAME, startModelServer } from '../../lab/model/server.ts';
import { freePort } from '../../lab/services/free-port.ts';
import { checkLine } from '../check.ts';
import { checkModel } from './check.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const callsTool = rule({
  name: 'calls the tool',
  when: asked(/report_sum/),
  reply: () => ({ calls: [{ name: 'report_sum', args: { a: 17, b: 25 } }] }),
});
const readsAll = rule({
  name: 'remembers the beginning',
  when: asked(/password of the day/),
  reply: ({ messages }) => ({
    text: /password of the day is (\w+)/.exec(messages[0]?.content ?? '')?.[1] ?? '',
  }),
});
const counts = rule({
  name: 'counts',
  when: asked(/Count from 1/),
  reply: () => ({ text: '1 2 3 4 5 and so on, in more than one piece' }),
});
const good: Scenario = [callsTool, readsAll, counts];

/** A scenario whose answer to one question is another one. */
function but(question: RegExp, reply: ScriptedReply): Scenario {
  return [rule({ name: 'otherwise', when: asked(question), reply: () => reply }), ...good];
}
const always = (fault: Fault) => but(/./, { fault });

async function linesFor(scenario: Scenario, more: Record<string, string> = {}, apiKey?: string) {
  const server = await startModelServer({ scenario, ...(apiKey !== undefined && { apiKey }) });
  cleanups.push(server.close);
  const env = { OPENAI_BASE_URL: server.url, OPENAI_MODEL: MODEL_NAME, ...more };
  const checks = await checkModel(env, { fetch });
  return checks.map(checkLine).map((line) => line.replaceAll(server.url, 'URL'));
}

describe('oikos model check', () => {
  it('is content with a model that does all', async () => {
    expect(await linesFor(good, { OPENAI_API_KEY: 'right-key' }, 'right-key')).toEqual([
      '✓ URL answers as scripted',
      '✓ it calls a tool when asked',
      '✓ it reports token figures',
      '✓ its answers come as a stream',
      '✓ it read the beginning of a prompt of 6000 tokens',
    ]);
  });

  it.each<[string, Scenario, string]>([
    [
      'no tool calls',
      but(/report_sum/, { text: 'The sum is 42.' }),
      '✗ scripted calls no tool when asked to: use a model with tool calling',
    ],
    [
      'calls in words',
      but(/report_sum/, { text: '{"name":"report_sum","arguments":{"a":17,"b":25}}' }),
      '✗ scripted writes the tool call as text instead of calling',
    ],
    [
      'a refusal of tools',
      but(/report_sum/, {
        fault: { kind: 'status', status: 400, message: 'does not support tools' },
      }),
      '✗ URL refuses the request (400 does not support tools): many servers say so when the model cannot call tools',
    ],
    [
      'too many requests',
      always({ kind: 'status', status: 429, retryAfterS: 7 }),
      '✗ URL says that there are too many requests: try again in 7 s',
    ],
    [
      'no credit',
      always({ kind: 'status', status: 429, code: 'insufficient_quota' }),
      '✗ the account has no credit left: top it up',
    ],
    [
      'no such model',
      always({ kind: 'status', status: 404, message: 'model not found' }),
      '✗ URL has no model scripted: set OPENAI_MODEL to one of: scripted',
    ],
    [
      'a web page as answer',
      always({ kind: 'html' }),
      '✗ URL does not answer as a model (not a chat endpoint: it answered text/html): OPENAI_BASE_URL usually ends in /v1',
    ],
    [
      'a small context',
      but(/password of the day/, {
        fault: { kind: 'status', status: 400, code: 'context_length_exceeded' },
      }),
      '✗ scripted takes fewer than 6000 tokens',
    ],
    [
      'a broken connection',
      always({ kind: 'cut' }),
      '✗ URL broke off in mid-answer (terminated): see the log of that server',
    ],
  ])('says plainly: %s', async (_case, scenario, sentence) => {
    const lines = await linesFor(scenario);
    expect(lines.filter((line) => line.startsWith('✗'))).toEqual([
      expect.stringContaining(sentence),
    ]);
  });

  it('tells a weak memory from a cut context by the figures of the provider', async () => {
    const lines = await linesFor(but(/password of the day/, { text: 'I do not know.' }));
    expect(lines.at(-1)).toContain('did not find a word at their beginning');
  });

  it('says that the context is cut when the provider read less than was sent', async () => {
    const url = await cuttingServer();
    const checks = await checkModel({ OPENAI_BASE_URL: url, OPENAI_MODEL: 'm' }, { fetch });
    expect(checks.map(checkLine).at(-1)).toContain(
      '✗ the beginning of a prompt of 6000 tokens did not reach the model: the server cuts prompts',
    );
  });

  it('says that the key is wrong', async () => {
    expect(await linesFor(good, { OPENAI_API_KEY: 'wrong-key' }, 'right-key')).toEqual([
      '✗ URL does not accept the key: check OPENAI_API_KEY',
    ]);
    expect(await linesFor(good, {}, 'right-key')).toEqual([
      '✗ URL does not accept requests without a key: check OPENAI_API_KEY',
    ]);
  });

  it('says that the address is a website, or nothing at all', async () => {
    const page = await pageServer();
    const at = (url: string) => checkModel({ OPENAI_BASE_URL: url }, { fetch });
    expect((await at(page)).map(checkLine)).toEqual([
      `✗ ${page} answers with a web page, not as a model: OPENAI_BASE_URL usually ends in /v1`,
    ]);
    const nothing = `http://127.0.0.1:${await freePort()}/v1`;
    expect((await at(nothing)).map(checkLine)).toEqual([
      `✗ ${nothing} cannot be reached (nothing listens there): check OPENAI_BASE_URL, and that the server runs`,
    ]);
  });

  it('does not mistake a missing /v1 for a missing model', async () => {
    const lines = await linesFor(good, {});
    expect(lines[0]).toBe('✓ URL answers as scripted');
    const server = await startModelServer({ scenario: good });
    cleanups.push(server.close);
    const base = server.url.replace(/\/v1$/, '');
    const [check] = await checkModel({ OPENAI_BASE_URL: base, OPENAI_MODEL: 'x' }, { fetch });
    expect(check?.todo).toBe('OPENAI_BASE_URL usually ends in /v1; check OPENAI_MODEL too');
  });
});

/** As Ollama with a small num_ctx: it answers, having read the end of the prompt only. */
function cuttingServer(): Promise<string> {
  return serve((path) =>
    path.endsWith('/models')
      ? { type: 'application/json', body: '{"data":[{"id":"m"}]}' }
      : {
          type: 'application/json',
          body: JSON.stringify({
            choices: [{ message: { content: 'I see only notes.' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 2_048, completion_tokens: 5 },
          }),
        },
  );
}

function pageServer(): Promise<string> {
  return serve(() => ({ type: 'text/html', body: '<!doctype html><title>NAS</title>' }));
}

async function serve(answer: (path: string) => { type: string; body: string }): Promise<string> {
  const server = createServer((request, response) => {
    const { type, body } = answer(request.url ?? '/');
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
