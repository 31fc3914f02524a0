import { expect } from 'vitest';
import { z } from 'zod';
import type { LlmRequest } from '../llm.ts';
import { LlmError } from '../llm-error.ts';
import { runTurn, type TurnOptions } from '../loop.ts';
import type { AssistantMessage, ChatMessage } from '../messages.ts';
import { createRegistry } from '../registry.ts';
import { NO_USAGE, type Reply } from '../reply.ts';
import { defineTool } from '../tool.ts';
import type { StoredCall, ToolResult, TurnPorts } from '../turn-ports.ts';

export const says = (text: string, more: Partial<Reply> = {}): Reply => ({
  text,
  calls: [],
  finish: 'done',
  refusal: '',
  usage: NO_USAGE,
  ...more,
});
export const asks = (...calls: [name: string, args: object | string][]): Reply =>
  says('', {
    calls: calls.map(([name, args], n) => ({
      id: `c${n}`,
      name,
      args: typeof args === 'string' ? args : JSON.stringify(args),
    })),
  });

export type Scripted = Reply | LlmError | ((request: LlmRequest) => Reply);

export type WorldOptions = Partial<Omit<TurnOptions, 'ports'>> & {
  readonly ports?: Partial<TurnPorts>;
};

/** A turn against a scripted model, with everything that was stored and run in order. */
export function world(script: readonly Scripted[], options: WorldOptions = {}) {
  const messages: ChatMessage[] = [{ role: 'user', content: 'restart nginx' }];
  const requests: LlmRequest[] = [];
  const ran: string[] = [];
  const log: string[] = [];
  let calls = 0;
  let stopped = false;
  const answers = new Map<string, ToolResult | Error>();

  const tool = (name: string, kind: 'read' | 'gated' | 'control', live = false) =>
    defineTool({
      name,
      kind,
      live,
      description: `${name}.`,
      schema: z.object({ command: z.string().optional(), n: z.number().optional() }),
      async run({ command = '' }) {
        ran.push(`${name} ${command}`.trim());
        log.push(`run ${name}`);
        const answer = answers.get(command) ?? answers.get(name);
        if (answer instanceof Error) throw answer;
        return answer ?? { text: `${name} ${command} ok`, origins: ['host:lab'] };
      },
    });
  const registry = createRegistry([
    tool('run', 'gated'),
    tool('list', 'read'),
    tool('status', 'read', true),
    tool('complete_task', 'control'),
  ]);

  const turn = (): Promise<Awaited<ReturnType<typeof runTurn>>> =>
    runTurn({
      llm: {
        async call(request) {
          requests.push(request);
          const next = script[Math.min(requests.length, script.length) - 1];
          if (next === undefined || next instanceof LlmError) throw next;
          return typeof next === 'function' ? next(request) : next;
        },
      },
      system: 'S',
      registry,
      ...options,
      ports: {
        history: async () => [...messages],
        async saveAssistant(message: AssistantMessage) {
          messages.push(message);
          log.push('save assistant');
          return message.calls.map(({ id, name, args }) => {
            calls += 1;
            return { key: `t:${calls}`, id, name, args };
          });
        },
        async saveToolResult(call: StoredCall, result: ToolResult) {
          messages.push({ role: 'tool', callId: call.id, content: result.text });
          log.push(`save ${call.name}`);
        },
        steering: async () => [],
        spoken: async () => false,
        stopped: async () => stopped,
        onProgress: ({ type }) => void (type === 'thinking' || log.push(type)),
        ...options.ports,
      },
    });
  const results = (): string[] =>
    messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  const stop = (): void => {
    stopped = true;
  };
  return { turn, messages, requests, ran, log, answers, results, stop };
}

/** Every call of a stored history is answered exactly once, after it was made. */
export function expectValid(messages: readonly ChatMessage[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') expect(open.delete(message.callId)).toBe(true);
    if (message.role !== 'tool') expect([...open]).toEqual([]);
    if (message.role !== 'assistant') continue;
    for (const { id } of message.calls) {
      expect(open.has(id)).toBe(false);
      open.add(id);
    }
  }
  expect([...open]).toEqual([]);
}

/** The answer of a call that waits for a person. */
export const waits: ToolResult = {
  text: '#3 waits for approval',
  parked: true,
  origins: ['oikos'],
};
