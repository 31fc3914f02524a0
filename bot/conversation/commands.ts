import { desc, isNotNull } from 'drizzle-orm';
import { pendingCards } from '../../shared/db/approvals.ts';
import { fleetEntities } from '../../shared/db/entities.ts';
import { outbox } from '../../shared/db/schema.ts';
import { openTasks } from '../../shared/db/tasks.ts';
import { typedSentence } from '../../shared/domain/approval.ts';
import { commandSummary } from '../cards/command-text.ts';
import type { ConversationDeps } from './deps.ts';
import type { IncomingText } from './ports.ts';
import { answerRevoke, answerRules } from './rules-commands.ts';

const HELP = [
  'Talk to me in plain words: I inspect at once and ask before I change anything.',
  '- A card waits for your yes: say yes or go ahead right after it, react 👍, or reply to it. No or 👎 denies.',
  '- A card that destroys something starts only by the sentence it prints.',
  '- stop ends everything in this room: running commands, queued ones, waiting cards, open windows.',
  '- always allow #4, after #4 ran well, lets it run at once from then on; !oikos rules shows what is allowed, !oikos revoke R1 ends it.',
  '- !oikos status shows what waits and what the fleet is; !oikos help shows this.',
].join('\n');

export function isCommand(body: string): boolean {
  return /^!oikos(\s|$)/i.test(body.trim());
}

/** Commands are answered from rows, without the model. */
export async function answerCommand(deps: ConversationDeps, text: IncomingText): Promise<string> {
  const [verb = 'help', ...rest] = text.body.trim().split(/\s+/).slice(1);
  const wish = verb.toLowerCase();
  if (wish === 'status') return status(deps, text.roomId);
  if (wish === 'rules') return answerRules(deps);
  if (wish === 'revoke') return answerRevoke(deps, text, rest[0]);
  return wish === 'help' ? HELP : `I know no command "${verb.slice(0, 40)}".\n${HELP}`;
}

async function status(deps: ConversationDeps, roomId: string): Promise<string> {
  const cards = await pendingCards(deps.db, roomId);
  const tasks = await openTasks(deps.db, roomId);
  const fleet = await fleetEntities(deps.db);
  return [
    `Tasks: ${tasks.map((task) => `T${task.number} (${task.status})`).join(', ') || 'none open'}`,
    `Waiting for you: ${cards.length === 0 ? 'nothing' : ''}`,
    ...cards.map(({ approval, execution }) => {
      const { phraseVerb: verb, phraseObject: object } = approval;
      const how =
        verb && object ? `type ${typedSentence({ verb, object })}` : `say yes #${execution.number}`;
      return `- #${execution.number} ${commandSummary(execution.command)} on ${execution.targetSlug}: ${how}`;
    }),
    ...(await undelivered(deps)),
    `Fleet: ${fleet.map(({ slug }) => slug).join(', ') || 'empty (is the daemon running?)'}`,
  ].join('\n');
}

/** What rooms refused for good would otherwise be seen by nobody. */
async function undelivered({ db }: ConversationDeps): Promise<string[]> {
  const failed = isNotNull(outbox.failedReason);
  const [last] = await db.select().from(outbox).where(failed).orderBy(desc(outbox.seq)).limit(1);
  if (!last) return [];
  const count = await db.$count(outbox, failed);
  return [
    `Not delivered: ${count}, the last in ${last.roomId} (${last.failedReason?.slice(0, 120)})`,
  ];
}
