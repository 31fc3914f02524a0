import type { ExecutionWithApproval } from '../../shared/db/approvals.ts';
import { commandSummary } from '../cards/command-text.ts';
import type { Rendered } from '../cards/document.ts';
import { renderPendingLines } from '../cards/lines.ts';

/** One line for each card that waits, with what to say; it counts as showing the card (K14). */
export function pendingLines(
  cards: readonly Pick<ExecutionWithApproval, 'approval' | 'execution'>[],
): Rendered {
  return renderPendingLines(
    cards.map(({ approval: { phraseVerb: verb, phraseObject: object }, execution }) => ({
      number: execution.number ?? 0,
      summary: `${commandSummary(execution.command)} on ${execution.targetSlug}`,
      phrase: verb !== null && object !== null ? { verb, object } : null,
    })),
  );
}
