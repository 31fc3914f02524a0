import { z } from 'zod';
import type { ExecutionRow } from '../../../shared/db/executions.ts';
import { readOutput } from '../../../shared/db/read-output.ts';
import { isFinal } from '../../../shared/domain/execution.ts';
import { RISK_CLASSES } from '../../../shared/domain/risk.ts';
import { patienceMs } from '../../../shared/domain/time-limit.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { ToolResult } from '../turn-ports.ts';
import type { ToolDeps } from './deps.ts';
import { headline, nameOf, outputOrigin, outputText } from './execution-text.ts';
import { fanOut } from './fan-out.ts';

const schema = z.object({
  target: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Slug of a host or guest, e.g. host:strong or lxc:web; list_entities shows them.'),
  targets: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Instead of target, for a command that only reads: several slugs, or "all hosts", "all lxc"; at most 30 at once. The result is one table.',
    ),
  command: z
    .string()
    .min(1)
    .max(64 * 1024)
    .describe('The shell command, as it would be typed on the target as root.'),
  purpose: z.string().max(400).default('').describe('Why, in one sentence for the operator.'),
  declared_risk: z
    .enum(RISK_CLASSES)
    .optional()
    .describe('Your own estimate; it can only make the gate stricter.'),
  timeout_seconds: z
    .number()
    .min(1)
    .max(7200)
    .optional()
    .describe('Longest time it may run; the default depends on its class.'),
});

/** The agent's one way to a machine: through propose(), the gate and the cards. */
export function runTool(deps: ToolDeps): Tool {
  return defineTool({
    name: 'run',
    description:
      'Runs a shell command on a host or guest. Reading commands run at once; changes wait for the operator, who sees a card and answers there, unless an earlier yes of this task or a rule of the operator covers them: then they run at once too. You are called again with the result by yourself: never ask the operator to continue. One reading command on several machines is one call with targets.',
    schema,
    kind: 'gated',
    async run(args, ctx) {
      const { call, signal } = ctx;
      const ask = {
        command: args.command,
        purpose: args.purpose,
        declaredRisk: args.declared_risk,
        ...(args.timeout_seconds !== undefined && { timeLimitMs: args.timeout_seconds * 1000 }),
      };
      if (args.targets) {
        return fanOut(deps, [...(args.target ? [args.target] : []), ...args.targets], ask, ctx);
      }
      if (args.target === undefined) {
        return { ...fromOikos('Refused, nothing ran: name a target, or targets.'), refused: true };
      }
      const { taskId, turnId } = deps;
      const { target } = args;
      const answer = await deps.propose({ ...ask, taskId, turnId, callKey: call.key, target });
      switch (answer.kind) {
        case 'refused': {
          const hint = answer.hint ? ` Hint: ${answer.hint}.` : '';
          return {
            ...fromOikos(`Refused, nothing ran: ${answer.reasons.join('; ')}.${hint}`),
            refused: true,
            ...(answer.executionId !== undefined && { told: [answer.executionId] }),
          };
        }
        case 'duplicate':
          return {
            ...fromOikos(`The same request is already there: ${headline(answer.execution)}.`),
            parked: answer.execution.status === 'pending_approval',
          };
        case 'waiting':
          return waiting(answer.execution);
        case 'split':
          return split(answer.executions);
        case 'started':
          return ended(deps, answer.execution, signal);
        default:
          return answer satisfies never;
      }
    },
  });
}

function split(executions: readonly ExecutionRow[]): ToolResult {
  const lines = executions.map((execution) => `${headline(execution)}.`);
  return {
    ...fromOikos(
      `This loop became ${executions.length} requests, each with its own card and sentence; none of them waits for another. You will be called again with each result.\n${lines.join('\n')}`,
    ),
    parked: executions.some(({ status }) => status === 'pending_approval'),
  };
}

function waiting(execution: ExecutionRow): ToolResult {
  if (execution.status === 'proposed') {
    return {
      ...fromOikos(
        `${nameOf(execution)} is still being looked at on ${execution.targetSlug}: the files that it uses are read first. Nothing ran yet. The operator gets a card or you are called with the reason why not.`,
      ),
      parked: true,
    };
  }
  return {
    ...fromOikos(
      `${nameOf(execution)} waits for the operator's decision (${execution.risk}). Nothing ran yet. You will be called again with the result.`,
    ),
    parked: true,
  };
}

async function ended(
  deps: ToolDeps,
  started: ExecutionRow,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const row = await deps.waitForEnd(started.id, patienceMs(started.risk), signal);
  if (!isFinal(row.status)) {
    return fromOikos(`${headline(row)}. You will be called with the result.`);
  }
  return endResult(deps, row);
}

/** What the model is told of a finished execution. */
export async function endResult(
  deps: Pick<ToolDeps, 'db' | 'nonce' | 'redact'>,
  row: ExecutionRow,
): Promise<ToolResult> {
  const output = await readOutput(deps.db, row.id);
  const text = outputText(row, output, { nonce: deps.nonce(), redact: deps.redact });
  return {
    text: `${headline(row)}\n${text}`,
    origins: [output.both === '' ? 'oikos' : outputOrigin(row)],
    told: [row.id],
  };
}

function fromOikos(text: string): ToolResult {
  return { text, origins: ['oikos'] };
}
