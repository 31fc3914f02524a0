import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { demoScenario } from '../../lab/model/scenarios/demo.ts';
import { startModelServer } from '../../lab/model/server.ts';
import { connectLlm } from './llm.ts';
import { runTurn } from './loop.ts';
import type { ChatMessage } from './messages.ts';
import { eventMessage, openingMessage, systemPrompt } from './prompt.ts';
import { createRegistry } from './registry.ts';
import { expectValid } from './testing/turn-world.ts';
import { defineTool } from './tool.ts';
import type { ToolResult } from './turn-ports.ts';
import { fence } from './untrusted.ts';

/** The loop, the model client and the scripted model together; only the tools are made up. */
async function steward(answers: Readonly<Record<string, ToolResult>>) {
  const server = await startModelServer({ scenario: demoScenario });
  const messages: ChatMessage[] = [];
  const ran: string[] = [];
  let calls = 0;
  const registry = createRegistry([
    defineTool({
      name: 'run',
      description: 'Runs a command.',
      kind: 'gated',
      schema: z.object({ target: z.string(), command: z.string(), purpose: z.string() }),
      async run({ target, command }) {
        ran.push(`${command} @ ${target}`);
        return answers[command] ?? { text: 'completed, exit 0', origins: ['host:lab'] };
      },
    }),
    defineTool({
      name: 'complete_task',
      description: 'Ends the task.',
      kind: 'control',
      schema: z.object({ outcome: z.string(), summary: z.string() }),
      run: async () => ({ text: 'closed', ended: 'task_done', origins: ['oikos'] }),
    }),
  ]);
  const llm = connectLlm({
    baseUrl: server.url,
    apiKey: 'none',
    model: 'scripted',
    idleMs: 5000,
    totalMs: 20_000,
  });
  return {
    messages,
    ran,
    close: () => server.close(),
    turn(content: string) {
      messages.push({ role: 'user', content });
      return runTurn({
        llm,
        registry,
        system: systemPrompt({ soul: '# Nomos', tools: registry.tools }),
        ports: {
          history: async () => messages,
          async saveAssistant(message) {
            messages.push(message);
            return message.calls.map(({ id, name, args }) => {
              calls += 1;
              return { key: `t:${calls}`, id, name, args };
            });
          },
          async saveToolResult(call, { text }) {
            messages.push({ role: 'tool', callId: call.id, content: text });
          },
          steering: async () => [],
          spoken: async () => false,
          stopped: async () => false,
          onProgress: () => undefined,
        },
      });
    },
  };
}

const opening = (words: string): string =>
  openingMessage({ time: new Date(0), operator: '@operator:lab', words });

describe('the agent over HTTP', () => {
  it('asks, is called again after the yes, checks and reports', async () => {
    const active = fence('active', 'n1', 'lxc:web stdout');
    const world = await steward({
      'systemctl restart nginx': {
        text: '#3 waits for approval',
        parked: true,
        origins: ['oikos'],
      },
      'systemctl is-active nginx': {
        text: `completed, exit 0\n${active}`,
        origins: ['guest:lxc:web'],
      },
    });
    expect(await world.turn(opening('restart nginx on lxc:web'))).toMatchObject({
      status: 'parked',
      steps: 1,
    });
    const event = eventMessage([{ line: '#3 completed, exit 0' }]);
    expect(await world.turn(event)).toMatchObject({
      status: 'answered',
      text: 'nginx is active again on lxc:web.',
      taskDone: true,
      usage: { estimated: false },
    });
    expect(world.ran).toEqual([
      'systemctl restart nginx @ lxc:web',
      'systemctl is-active nginx @ lxc:web',
    ]);
    expectValid(world.messages);
    await world.close();
  });

  it('destroys a running container in four steps of one turn when a window allows it', async () => {
    const pct = fence('unable to destroy CT 135 - container is running', 'n2', 'host:lab stderr');
    const answers: Record<string, ToolResult> = {
      'pct destroy 135': { text: `failed, exit 255\n${pct}`, origins: ['host:lab'] },
    };
    const world = await steward(
      new Proxy(answers, {
        get: (all, command: string) => {
          const answer = all[command];
          if (command === 'pct destroy 135') delete all[command];
          return answer;
        },
      }),
    );
    expect(await world.turn(opening('destroy container 135'))).toMatchObject({
      status: 'answered',
      text: 'Container 135 is destroyed; pct list on host:lab no longer shows it.',
    });
    expect(world.ran.map((line) => line.split(' @ ')[0])).toEqual([
      'pct destroy 135',
      'pct stop 135',
      'pct destroy 135',
      'pct list',
    ]);
    await world.close();
  });
});
