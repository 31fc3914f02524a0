import type { Db } from '../../../shared/db/client.ts';
import type { ExecutionRow } from '../../../shared/db/executions.ts';
import type { TaskOutcome } from '../../../shared/domain/task.ts';
import type { ProposeAnswer, ProposeAsk } from '../../../shared/propose.ts';

/** What the tools of one turn are given. */
export interface ToolDeps {
  readonly db: Db;
  readonly taskId: string;
  readonly turnId: string;
  readonly propose: (ask: ProposeAsk) => Promise<ProposeAnswer>;
  /** The row once it is final, or as it stands after `patienceMs`. */
  readonly waitForEnd: (
    id: string,
    patienceMs: number,
    signal?: AbortSignal,
  ) => Promise<ExecutionRow>;
  /** Refused with a reason while cards or runs are open. */
  readonly completeTask: (end: {
    outcome: TaskOutcome;
    summary: string;
  }) => Promise<string | undefined>;
  readonly redact: (text: string) => string;
  /** A fresh mark for each fenced text. */
  readonly nonce: () => string;
}
