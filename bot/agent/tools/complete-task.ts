import { z } from 'zod';
import { TASK_OUTCOMES } from '../../../shared/domain/task.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { ToolDeps } from './deps.ts';

/** Closes the task; refused while a card waits or a command runs. */
export function completeTaskTool(deps: ToolDeps): Tool {
  return defineTool({
    name: 'complete_task',
    description:
      'Ends the task once its goal was checked. Refused while a card waits or a command runs.',
    schema: z.object({
      outcome: z.enum(TASK_OUTCOMES),
      summary: z.string().min(1).max(2_000).describe('What the operator reads at the end.'),
    }),
    kind: 'control',
    async run({ outcome, summary }) {
      const refusal = await deps.completeTask({ outcome, summary });
      if (refusal) return { text: `Refused: ${refusal}.`, origins: ['oikos'] };
      return { text: 'The task is closed.', origins: ['oikos'], ended: 'task_done', say: summary };
    },
  });
}
