import { afterEach, describe, expect, it } from 'vitest';
import { rule, type Scenario, type ScriptedReply } from '../../lab/model/scenario.ts';
import { type ModelServer, startModelServer } from '../../lab/model/server.ts';
import { connectLlm, type LlmOptions, type LlmRequest } from './llm.ts';
import { LlmError } from './llm-error.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const KEY = 'sk-test-key-of-the-operator';
const request: LlmRequest = {
  system: 'S',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'run', description: 'Runs.', parameters: { type: 'object', properties: {} } }],
};

/** A model whose answer depends on how often it was asked the same. */
async function model(
  answer: (attempt: number) => ScriptedReply,
  options: Partial<LlmOptions> = {},
  apiKey?: string,
) {
  const scenario: Scenario = [
    rule({
      name: 'all',
      when: ({ attempt }) => attempt,
      reply: (_view, attempt) => answer(attempt),
    }),
  ];
  const server = await startModelServer({ scenario, ...(apiKey === undefined ? {} : { apiKey }) });
  open.push(server);
  const waits: number[] = [];
  const llm = connectLlm({
    baseUrl: server.url,
    apiKey: KEY,
    model: 'scripted',
    idleMs: 300,
    totalMs: 3000,
    sleep: async (ms) => void waits.push(ms),
    random: () => 1,
    ...options,
  });
  const errorOf = async (signal?: AbortSignal): Promise<LlmError> => {
    const error = await llm.call(request, signal).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof LlmError) return error;
    throw new Error('expected an LlmError');
  };
  return { llm, server, waits, errorOf };
}

const unwell = (fault: ScriptedReply['fault']): ScriptedReply => ({
  text: 'a text that is long enough to come in several pieces',
  ...(fault ? { fault } : {}),
});

describe('a model over HTTP', () => {
  it('answers with text, calls, reasoning and figures from the stream', async () => {
    const { llm, server } = await model(() => ({
      text: 'I look at the disks of the host first: 磁盘 😀',
      reasoning: 'thinking about it',
      calls: [
        { name: 'run', args: { command: 'df -h | sort -k5 -h # a rather long command' } },
        { name: 'run', args: {} },
      ],
    }));
    const reply = await llm.call(request);
    expect(reply).toMatchObject({
      text: 'I look at the disks of the host first: 磁盘 😀',
      finish: 'done',
      reasoning: { field: 'reasoning_content', text: 'thinking about it', model: 'scripted' },
      usage: { estimated: false },
    });
    expect(reply.calls.map(({ name, args }) => [name, JSON.parse(args)])).toEqual([
      ['run', { command: 'df -h | sort -k5 -h # a rather long command' }],
      ['run', {}],
    ]);
    expect(server.requests[0]).toMatchObject({
      authorization: `Bearer ${KEY}`,
      body: { model: 'scripted', messages: [{ role: 'system', content: 'S' }, { role: 'user' }] },
    });
    expect(server.requests[0]?.body).not.toHaveProperty('tool_choice');
  });

  it('sends no tools and takes no calls when only words are wanted', async () => {
    const { llm, server } = await model(() => ({ text: 'ok', calls: [{ name: 'run', args: {} }] }));
    expect((await llm.call({ ...request, wordsOnly: true })).calls).toEqual([]);
    expect(server.requests[0]?.body.tools).toBeUndefined();
  });

  it('takes printed calls only where the endpoint is set up for it', async () => {
    const printed = (): ScriptedReply => ({ text: '{"name":"run","arguments":{"command":"df"}}' });
    const plain = await model(printed);
    expect((await plain.llm.call(request)).calls).toEqual([]);
    const salvaging = await model(printed, { compat: { textCalls: true } });
    expect(await salvaging.llm.call(request)).toMatchObject({
      text: '',
      calls: [{ id: 'call_1', name: 'run', args: '{"command":"df"}' }],
    });
  });

  it('marks an answer that the output limit cut', async () => {
    const { llm } = await model(() => ({ text: 'half', finish: 'length' }));
    expect((await llm.call(request)).finish).toBe('length');
  });
});

describe('trouble that passes', () => {
  it.each<[string, ScriptedReply['fault'], number[]]>([
    ['a rate limit', { kind: 'status', status: 429, retryAfterS: 3 }, [3000, 3000]],
    ['a server error', { kind: 'status', status: 500 }, [1000, 2000]],
    ['a stalled stream', { kind: 'stall' }, [1000, 2000]],
    ['a cut stream', { kind: 'cut' }, [1000, 2000]],
    ['a stream without an end', { kind: 'no_finish' }, [1000, 2000]],
    ['an error in the stream', { kind: 'error_in_stream', message: 'gone' }, [1000, 2000]],
    ['a slow start', { kind: 'slow_start', delayMs: 600 }, [1000, 2000]],
  ])('%s is tried again', async (_what, fault, expected) => {
    const { llm, waits, server } = await model((attempt) =>
      attempt < 2 ? unwell(fault) : { text: 'ok' },
    );
    expect((await llm.call(request)).text).toBe('ok');
    expect(waits).toEqual(expected);
    expect(server.requests).toHaveLength(3);
  });

  it('is waited for longer at the start where that is allowed', async () => {
    const { llm, server } = await model(() => unwell({ kind: 'slow_start', delayMs: 600 }), {
      startMs: 2000,
    });
    expect((await llm.call(request)).text).toContain('long enough');
    expect(server.requests).toHaveLength(1);
  });
});

describe('trouble that stays', () => {
  it.each<[string, ScriptedReply['fault'], string, RegExp]>([
    ['a web page', { kind: 'html' }, 'malformed', /base URL/],
    ['no credit', { kind: 'status', status: 429, code: 'insufficient_quota' }, 'quota', /credit/],
    ['an unknown model', { kind: 'status', status: 404 }, 'model_missing', /model name/],
    ['a long wait', { kind: 'status', status: 429, retryAfterS: 120 }, 'rate_limit', /in 120 s/],
    [
      'a full context',
      { kind: 'status', status: 400, code: 'context_length_exceeded' },
      'overflow',
      /too long/,
    ],
  ])('%s is told at once and in plain words', async (_what, fault, kind, sentence) => {
    // On a busy machine the first answer takes longer than the other tests wait.
    const { errorOf, server } = await model(() => unwell(fault), { idleMs: 3000 });
    const error = await errorOf();
    expect(error.kind).toBe(kind);
    expect(error.forPeople).toMatch(sentence);
    expect(server.requests).toHaveLength(1);
  });

  it('is given up on after four attempts', async () => {
    const { errorOf, server } = await model(() => unwell({ kind: 'status', status: 503 }));
    expect((await errorOf()).kind).toBe('server');
    expect(server.requests).toHaveLength(4);
  });

  it('of a wrong key never shows the key', async () => {
    const rejected = await model(() => ({ text: 'x' }), {}, 'another key');
    const error = await rejected.errorOf();
    expect(error).toMatchObject({ kind: 'auth' });
    const echoed = await model(() =>
      unwell({ kind: 'status', status: 400, message: `bad key ${KEY}` }),
    );
    expect((await echoed.errorOf()).message).toContain('bad key [key]');
  });

  it('of an unreachable address is the network’s', async () => {
    const { errorOf, server } = await model(() => ({ text: 'x' }), { attempts: 1 });
    await server.close();
    await expect(errorOf()).resolves.toMatchObject({ kind: 'network' });
  });

  it('of an answer that never ends is cut by the total limit', async () => {
    const { errorOf } = await model(() => unwell({ kind: 'stall' }), {
      idleMs: 5000,
      totalMs: 200,
      attempts: 1,
    });
    await expect(errorOf()).resolves.toMatchObject({ kind: 'timeout', retryable: true });
  });
});

describe('stopping a call', () => {
  it.each([
    ['while it streams', unwell({ kind: 'stall' }), {}],
    ['while it waits to try again', unwell({ kind: 'status', status: 500 }), { sleep: undefined }],
  ])('%s ends it at once', async (_when, reply, { sleep }: { sleep?: undefined }) => {
    const started = await model(() => reply, { idleMs: 5000 });
    const llm =
      'sleep' in { sleep }
        ? connectLlm({
            baseUrl: started.server.url,
            apiKey: KEY,
            model: 'm',
            idleMs: 5000,
            totalMs: 9000,
          })
        : started.llm;
    const controller = new AbortController();
    const call = llm.call(request, controller.signal);
    while (started.server.requests.length === 0) await new Promise((r) => setImmediate(r));
    controller.abort();
    await expect(call).rejects.toMatchObject({ kind: 'aborted', retryable: false });
    expect(started.server.requests).toHaveLength(1);
  });

  it('before it began sends nothing', async () => {
    const { errorOf, server } = await model(() => ({ text: 'x' }));
    expect(await errorOf(AbortSignal.abort())).toMatchObject({ kind: 'aborted' });
    expect(server.requests).toHaveLength(0);
  });
});
