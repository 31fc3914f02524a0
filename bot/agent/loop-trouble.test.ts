import { describe, expect, it } from 'vitest';
import { LlmError } from './llm-error.ts';
import type { ChatMessage } from './messages.ts';
import { asks, expectValid, says, world } from './testing/turn-world.ts';

describe('a model that errs', () => {
  it('reads what was wrong with its arguments, and only valid JSON is stored', async () => {
    const w = world([
      asks(['run', '{"command": "rm']),
      asks(['run', { n: 'many' }]),
      says('sorry'),
    ]);
    expect(await w.turn()).toMatchObject({ status: 'answered', text: 'sorry' });
    expect(w.ran).toEqual([]);
    expect(w.results()).toEqual([
      expect.stringContaining('not valid JSON'),
      expect.stringMatching(/^Error: .*Nothing ran/s),
    ]);
    const [, first] = w.messages;
    expect(first).toMatchObject({ calls: [{ args: '{"_invalid":"{\\"command\\": \\"rm"}' }] });
  });

  it('reads the names of the tools when it invents one', async () => {
    const w = world([asks(['reboot', {}]), says('ok')]);
    await w.turn();
    expect(w.results()[0]).toContain('complete_task, list, run, status');
  });

  it('is given up on after six broken calls', async () => {
    const w = world([asks(['run', '{{{'])]);
    const outcome = await w.turn();
    expect(outcome).toMatchObject({ status: 'failed', steps: 6, error: { kind: 'malformed' } });
    expect(outcome.error?.forPeople).toContain('model that can call tools');
    expectValid(w.messages);
  });

  it.each([
    ['empty', says('  '), 'malformed'],
    ['a refusal', says("I'm sorry, but I can't help."), 'filtered'],
    ['refused by the provider', says('', { refusal: 'policy' }), 'filtered'],
  ])('is asked once more when its answer is %s', async (_what, reply, kind) => {
    const once = world([reply, says('ok')]);
    expect(await once.turn()).toMatchObject({ status: 'answered', text: 'ok' });
    expect(once.requests[1]?.messages.at(-1)?.content).toContain('did not help');
    expect(once.messages).toHaveLength(2);
    expect(await world([reply]).turn()).toMatchObject({ status: 'failed', error: { kind } });
  });

  it('never has a cut call run or stored', async () => {
    const cut = { ...asks(['run', { command: 'rm -rf /srv' }]), finish: 'length' as const };
    const w = world([cut, says('ok')]);
    expect(await w.turn()).toMatchObject({ status: 'answered' });
    expect(w.ran).toEqual([]);
    expect(w.messages).toHaveLength(2);
    expect(await world([cut]).turn()).toMatchObject({
      status: 'failed',
      error: { kind: 'truncated' },
    });
  });

  it('must report without tools when its steps are used up', async () => {
    let n = 0;
    const w = world(
      [
        ({ wordsOnly }) => {
          n += 1;
          return wordsOnly ? says('This far.') : asks(['list', { n }]);
        },
      ],
      { maxSteps: 3 },
    );
    expect(await w.turn()).toMatchObject({ status: 'exhausted', text: 'This far.', steps: 3 });
    expect(w.ran).toHaveLength(3);
    expectValid(w.messages);
  });

  it('has forty steps', async () => {
    let n = 0;
    const w = world([
      ({ wordsOnly }) => {
        n += 1;
        return wordsOnly ? says('') : asks(['list', { n }]);
      },
    ]);
    expect(await w.turn()).toMatchObject({ status: 'exhausted', steps: 40 });
    expect(w.messages.at(-1)?.content).toContain('stopped after 40 steps');
  });
});

describe('a context that overflows', () => {
  const overflow = new LlmError('overflow', 'too long');

  it('is compacted once', async () => {
    const compact = async (): Promise<ChatMessage[]> => [{ role: 'user', content: 'short' }];
    const ports = { compact };
    const w = world([overflow, says('ok')], { ports });
    expect(await w.turn()).toMatchObject({ status: 'answered' });
    expect(w.requests[1]?.messages).toEqual([{ role: 'user', content: 'short' }]);
    expect(await world([overflow], { ports }).turn()).toMatchObject({ status: 'failed', steps: 2 });
  });

  it('fails the turn where nothing can compact it', async () => {
    expect(await world([overflow]).turn()).toMatchObject({
      status: 'failed',
      error: { kind: 'overflow' },
    });
  });
});

describe('a tool that throws', () => {
  it('is told as unknown when it may have started something', async () => {
    const w = world([asks(['run', { command: 'a' }], ['list', {}]), says('ok')]);
    w.answers.set('a', new Error('database gone')).set('list', new Error('x'));
    expect(await w.turn()).toMatchObject({ status: 'answered' });
    expect(w.results()).toEqual([
      expect.stringContaining('Whether it was started is unknown'),
      expect.stringContaining('Nothing changed'),
    ]);
    expect(w.results().join()).not.toContain('database gone');
  });
});

describe('a port', () => {
  it('that fails ends the turn by its own error, to be resumed', async () => {
    const ports = {
      saveToolResult: () => Promise.reject(new Error('database gone')),
    };
    await expect(world([asks(['list', {}])], { ports }).turn()).rejects.toThrow('database gone');
  });

  it('must answer the calls that it was given', async () => {
    const ports = { saveAssistant: async () => [] };
    await expect(world([asks(['list', {}])], { ports }).turn()).rejects.toThrow('in order');
  });
});
