import { describe, expect, it } from 'vitest';
import { LlmError } from './llm-error.ts';
import { INTERRUPTED, SKIPPED } from './loop.ts';
import type { AssistantMessage, ChatMessage } from './messages.ts';
import { NO_USAGE } from './reply.ts';
import { asks, expectValid, says, waits, world } from './testing/turn-world.ts';
import type { StoredCall } from './turn-ports.ts';

describe('a turn', () => {
  it('runs calls one after another, each stored before it runs, and ends with the answer', async () => {
    const w = world([
      asks(['list', {}], ['run', { command: 'df -h' }]),
      says('The disk is half full.'),
    ]);
    expect(await w.turn()).toEqual({
      status: 'answered',
      text: 'The disk is half full.',
      taskDone: false,
      steps: 2,
      usage: NO_USAGE,
    });
    expect(w.log.filter((line) => !line.startsWith('call_') && line !== 'usage')).toEqual([
      'save assistant',
      'run list',
      'save list',
      'run run',
      'save run',
      'save assistant',
    ]);
    expectValid(w.messages);
  });

  it('gives ids that the provider repeats from step to step a new form', async () => {
    const w = world([asks(['list', { n: 1 }]), asks(['list', { n: 2 }]), says('ok')]);
    await w.turn();
    expectValid(w.messages);
    const ids = w.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => c.id) : []));
    expect(new Set(ids).size).toBe(2);
  });

  it('lets the operator steer before the next model call', async () => {
    const waiting: ChatMessage[][] = [[], [{ role: 'user', content: 'and apache' }]];
    const w = world([asks(['list', {}]), says('ok')], {
      ports: { steering: async () => waiting.shift() ?? [] },
    });
    await w.turn();
    expect(w.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      'restart nginx',
      'and apache',
    ]);
  });

  it('skips the calls that are left when somebody speaks between two of them', async () => {
    const spoken = [false, true, false, false];
    const words: ChatMessage = { role: 'user', content: 'not b' };
    const w = world(
      [
        asks(['run', { command: 'a' }], ['run', { command: 'b' }], ['run', { command: 'c' }]),
        says('Only a.'),
      ],
      {
        ports: {
          spoken: async () => spoken.shift() ?? false,
          steering: async () => (w.ran.length > 0 ? [words] : []),
        },
      },
    );
    expect(await w.turn()).toMatchObject({ status: 'answered', text: 'Only a.' });
    expect(w.ran).toEqual(['run a']);
    expect(w.results().slice(1)).toEqual([SKIPPED, SKIPPED]);
    expect(w.requests.at(-1)?.messages.at(-1)).toEqual(words);
    expectValid(w.messages);
  });

  it('ends when a tool closes the task; later calls of the step do not run', async () => {
    const w = world([asks(['complete_task', {}], ['run', { command: 'x' }])]);
    w.answers.set('complete_task', {
      text: 'closed',
      say: 'All done.',
      ended: 'task_done',
      origins: ['oikos'],
    });
    expect(await w.turn()).toMatchObject({ status: 'answered', text: 'All done.', taskDone: true });
    expect(w.ran).toEqual(['complete_task']);
    expect(w.results()).toEqual(['closed', INTERRUPTED]);
  });
});

describe('a call that waits for a person', () => {
  it('ends the turn after the other calls of its step, without another model call', async () => {
    const w = world([
      {
        ...asks(['run', { command: 'a' }], ['list', {}], ['run', { command: 'b' }]),
        text: 'I ask.',
      },
      says('never said'),
    ]);
    w.answers.set('a', waits).set('b', { ...waits, text: '#4 waits' });
    expect(await w.turn()).toMatchObject({ status: 'parked', text: 'I ask.', steps: 1 });
    expect(w.ran).toEqual(['run a', 'list', 'run b']);
    expect(w.requests).toHaveLength(1);
    expectValid(w.messages);
  });

  it('is not requested twice by one step', async () => {
    const w = world([
      asks(['run', { command: 'a' }], ['run', { command: 'b' }], ['run', { command: 'a' }]),
    ]);
    w.answers.set('a', waits);
    expect(await w.turn()).toMatchObject({ status: 'parked' });
    expect(w.ran).toEqual(['run a', 'run b']);
    expect(w.results()[2]).toMatch(/^Already requested/);
  });
});

describe('calls that repeat', () => {
  it('a gated call is not started again while nothing else was done', async () => {
    const w = world([
      asks(['run', { command: 'a', n: 1 }]),
      asks(['run', { n: 1, command: 'a' }]),
      says('ok'),
    ]);
    await w.turn();
    expect(w.ran).toEqual(['run a']);
    expect(w.results()[1]).toBe(
      'Already requested in this turn; nothing was started again. The answer was:\nrun a ok',
    );
  });

  it('a gated call may run again after another one', async () => {
    const steps = ['a', 'b', 'a'].map((command) => asks(['run', { command }]));
    const w = world([...steps, says('ok')]);
    await w.turn();
    expect(w.ran).toEqual(['run a', 'run b', 'run a']);
  });

  it('a read is answered from memory until something was done, a live one never', async () => {
    const w = world([
      asks(['list', {}], ['list', {}], ['status', {}], ['status', {}]),
      asks(['run', { command: 'a' }], ['list', {}]),
      says('ok'),
    ]);
    await w.turn();
    expect(w.ran).toEqual(['list', 'status', 'status', 'run a', 'list']);
    expect(w.results()[1]).toMatch(/^Same call, and nothing changed since/);
  });
});

describe('stop', () => {
  it('answers the calls that did not run, so that the history stays valid', async () => {
    const w = world([asks(['run', { command: 'a' }], ['run', { command: 'b' }])], {
      ports: {
        stopped: async () => w.ran.length > 0,
      },
    });
    expect(await w.turn()).toMatchObject({ status: 'stopped', steps: 1 });
    expect(w.ran).toEqual(['run a']);
    expect(w.results()[1]).toBe(INTERRUPTED);
    expectValid(w.messages);
  });

  it('asks the model nothing when it was said before', async () => {
    const w = world([says('never')]);
    w.stop();
    expect(await w.turn()).toMatchObject({ status: 'stopped', steps: 0 });
    expect(w.requests).toEqual([]);
  });

  it('is not what a shutdown means: the port rejects and the turn is left as it is', async () => {
    const w = world([new LlmError('aborted', 'x')], {
      ports: {
        stopped: async () => {
          if (w.requests.length > 0) throw new Error('going down');
          return false;
        },
      },
    });
    await expect(w.turn()).rejects.toThrow('going down');
    const signal = AbortSignal.abort();
    const down = () => Promise.reject(new Error('going down'));
    const early = world([says('x')], { signal, ports: { stopped: down } });
    await expect(early.turn()).rejects.toThrow('going down');
  });

  it('runs no call after the signal', async () => {
    const controller = new AbortController();
    const w = world(
      [
        () => {
          controller.abort();
          return asks(['run', { command: 'a' }]);
        },
      ],
      { signal: controller.signal },
    );
    expect(await w.turn()).toMatchObject({ status: 'stopped' });
    expect(w.ran).toEqual([]);
    expect(w.results()).toEqual([INTERRUPTED]);
  });

  it('ends the turn when it interrupts the model', async () => {
    expect(await world([new LlmError('aborted', 'x')]).turn()).toMatchObject({ status: 'stopped' });
  });
});

describe('a resumed turn', () => {
  const outstanding: StoredCall[] = [
    { key: 't:1', id: 'a', name: 'run', args: '{"command":"x"}' },
    { key: 't:2', id: 'b', name: 'list', args: '{}' },
  ];
  const before: AssistantMessage = { role: 'assistant', content: 'I look.', calls: outstanding };

  it('first answers what was left open, and does not run it again', async () => {
    const w = world([says('ok')], {
      outstanding,
      resumeCall: async ({ key }) => ({ text: `from the rows: ${key}`, origins: ['oikos'] }),
    });
    w.messages.push(before);
    expect(await w.turn()).toMatchObject({ status: 'answered' });
    expect(w.results()).toEqual(['from the rows: t:1', 'from the rows: t:2']);
    expect(w.ran).toEqual([]);
    expectValid(w.messages);
  });

  it('ends parked when the open call waits for a person', async () => {
    const w = world([says('never')], { outstanding, resumeCall: async () => waits });
    w.messages.push(before);
    expect(await w.turn()).toMatchObject({ status: 'parked', text: 'I look.', steps: 0 });
  });

  it('says that nothing ran where the rows know nothing', async () => {
    const w = world([says('ok')], { outstanding });
    w.messages.push(before);
    await w.turn();
    expect(w.results()).toEqual([INTERRUPTED, INTERRUPTED]);
  });
});
