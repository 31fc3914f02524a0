import { asc, eq } from 'drizzle-orm';
import { approvalOfExecution, decisionOf } from '../../../shared/db/approvals.ts';
import { auditEvents } from '../../../shared/db/schema.ts';
import { explain } from '../../../shared/gate/explain.ts';
import { storyOf } from '../../cards/story.ts';
import { type Command, saying } from './command.ts';
import { numberedExecution, readNumber } from './references.ts';

/** How a card came to be and to end, told from the ledger. */
export const why: Command = {
  names: ['why'],
  usage: 'why #7',
  about: 'how #7 came to be, who decided it and how, and what became of it',
  operatorsOnly: false,
  async run({ deps, text: { roomId }, words }) {
    const number = readNumber(words[0]);
    if (number === undefined) return saying('Say !oikos why #7.');
    const execution = await numberedExecution(deps.db, roomId, number);
    if (!execution) return saying(`This room has no #${number}.`);
    const approval = await approvalOfExecution(deps.db, execution.id);
    const decision = approval && (await decisionOf(deps.db, approval.id));
    const events = await deps.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.executionId, execution.id))
      .orderBy(asc(auditEvents.seq));
    const story = storyOf(
      {
        number,
        command: execution.command,
        target: execution.targetSlug,
        requestedBy: execution.requestedBy,
        risk: execution.risk,
        reasons: explain(execution.gate),
        provenance: execution.provenance,
        authorization: execution.authorization,
        exitCode: execution.exitCode,
        outcome: execution.reason,
        words: decision?.words ?? null,
      },
      events,
      deps.timeZone,
    );
    return saying(story);
  },
};
