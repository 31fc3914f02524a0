import { afterEach, describe, expect, it } from 'vitest';
import { rule, type Scenario } from './scenario.ts';
import { type ModelServer, startModelServer } from './server.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const scenario: Scenario = [
  rule({
    name: 'all',
    when: () => true,
    reply: () => ({
      text: 'A text that is longer than one piece of a stream',
      calls: [{ name: 'run', args: { command: 'df -h # and some more, so that it is split' } }],
    }),
  }),
];

async function start(apiKey?: string): Promise<ModelServer> {
  const server = await startModelServer({ scenario, ...(apiKey === undefined ? {} : { apiKey }) });
  open.push(server);
  return server;
}

const chat = (url: string, body: object, headers = {}): Promise<Response> =>
  fetch(`${url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
const hello = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

describe('the model server', () => {
  it('lists its model', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: 'scripted' }] });
  });

  it('answers in one piece when no stream is asked for', async () => {
    const { url, requests } = await start();
    const response = await chat(url, hello);
    expect(await response.json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { tool_calls: [{ id: 'call_1', function: { name: 'run' } }] },
        },
      ],
      usage: { prompt_tokens: expect.any(Number) },
    });
    expect(requests).toMatchObject([{ rule: 'all', body: { messages: [{ content: 'hi' }] } }]);
  });

  it('streams text and arguments in several chunks, with figures only when asked for', async () => {
    const { url } = await start();
    const response = await chat(url, { ...hello, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const lines = (await response.text()).trim().split('\n\n');
    expect(lines.filter((line) => line.includes('"content":"'))).toHaveLength(3);
    expect(lines.filter((line) => line.includes('"tool_calls"')).length).toBeGreaterThan(2);
    expect(lines.join()).not.toContain('prompt_tokens');
    expect(lines.at(-1)).toBe('data: [DONE]');
  });

  it.each([
    ['a wrong key', 401, hello, { authorization: 'Bearer wrong' }],
    ['no messages', 400, { model: 'm' }, { authorization: 'Bearer right' }],
  ])('refuses %s with %d', async (_what, status, body, headers) => {
    const { url } = await start('right');
    expect((await chat(url, body, headers)).status).toBe(status);
  });
});
