import type { ExecutionWithApproval } from '../../shared/db/approvals.ts';
import { pendingCards } from '../../shared/db/approvals.ts';
import { messagesBetween } from '../../shared/db/inbox.ts';
import { type DecideAnswer, decide } from '../../shared/decide.ts';
import { type DecisionWay, typedSentence } from '../../shared/domain/approval.ts';
import { type Assessment, assess, type OpenCard, type Said } from '../assent/assent.ts';
import { looksLikeDecision } from '../assent/explain.ts';
import { commandSummary, needsNumber } from '../cards/command-text.ts';
import { bindingOf, type RoomMessage } from './binding.ts';
import type { ConversationDeps } from './deps.ts';
import { isEdit, markOf } from './marks.ts';
import type { Place } from './places.ts';
import type { IncomingReaction, IncomingText } from './ports.ts';

/** Senders on other homeservers may have clocks of their own (R0). */
const FOREIGN_CLOCK_SLACK_MS = 2 * 60_000;

export type Heard =
  /** It decided something: never also a message for the agent. */
  | { readonly kind: 'decided'; readonly line: string | undefined }
  /** It looked like a decision but is none; the line says why. */
  | { readonly kind: 'explained'; readonly line: string }
  /** Ordinary talk; the line says that it decided nothing, where it looked as if it did. */
  | { readonly kind: 'talk'; readonly line?: string };

/**
 * Reads an operator's words as a decision about the cards that wait in the room, if they are one.
 * `why` goes with a no to the agent.
 */
export async function hearDecision(
  deps: ConversationDeps,
  text: IncomingText,
  place: Place,
  why?: string,
): Promise<Heard> {
  const all = await pendingCards(deps.db, text.roomId, text.eventId);
  const waiting = all.filter((card) => inPlace(card, place));
  if (waiting.length === 0) return { kind: 'talk' };
  const shown = waiting.filter((card) => wasShownBefore(card, text, deps.userId));
  const cards = await openCards(deps, text, shown.length > 0 ? shown : waiting);
  const said = saidBy(text, waiting, shown.length > 0);
  const { afterCard } = said;
  return act(deps, text, assess(said, cards), { cards, waiting, afterCard, why });
}

interface Scene {
  readonly cards: readonly OpenCard[];
  readonly waiting: readonly ExecutionWithApproval[];
  readonly afterCard: boolean;
  readonly why: string | undefined;
}

async function act(
  deps: ConversationDeps,
  text: IncomingText,
  assessment: Assessment,
  scene: Scene,
): Promise<Heard> {
  const { cards, waiting, afterCard, why } = scene;
  const decided = [
    ...assessment.approve.map((id) => ({ id, decision: 'granted' as const })),
    ...assessment.deny.map((id) => ({ id, decision: 'denied' as const })),
  ];
  if (decided.length === 0) return explain(assessment, cards, afterCard);
  const how = wayOf(text, assessment, waiting);
  const lines: string[] = [];
  for (const { id, decision } of decided) {
    const answer = await decide(deps, {
      approvalId: id,
      decision,
      how,
      by: text.sender,
      words: text.body,
      why,
      eventId: text.eventId,
      heardAt: text.receivedAt,
      saidAt: text.at,
    });
    const number = cards.find((card) => card.id === id)?.number;
    const line = lineFor(answer, number);
    if (line) lines.push(line);
  }
  if (assessment.explain) lines.push(assessment.explain);
  return { kind: 'decided', line: lines.length > 0 ? lines.join('\n') : undefined };
}

/**
 * What the room hears of an operator's words that came so late that they decide nothing, where a card
 * waits that they may have been meant for.
 */
export async function explainLate(
  deps: ConversationDeps,
  said: IncomingText | IncomingReaction,
): Promise<string | undefined> {
  const waiting = await pendingCards(deps.db, said.roomId);
  const [card] = waiting;
  if (!card) return undefined;
  const meant =
    said.kind === 'reaction'
      ? waiting.some(({ approval }) => approval.cardEvent === said.relatesTo)
      : looksLikeDecision(
          said.body,
          waiting.flatMap(({ approval }) => approval.phraseVerb ?? []),
        );
  if (!meant) return undefined;
  const numbers = waiting.map(({ execution }) => `#${execution.number}`).join(', ');
  return `${said.sender}, words of yours came more than an hour late, by your server's clock: they decide nothing, and nothing ran. Still open: ${numbers}.`;
}

/** What the room hears about a decision that its card does not show by itself. */
export function lineFor(answer: DecideAnswer, number: number | undefined): string | undefined {
  const card = number === undefined ? 'That card' : `#${number}`;
  switch (answer.kind) {
    case 'granted':
    case 'denied':
      return undefined;
    case 'needs_phrase':
      return `${card} destroys something, so a plain yes does not start it. Type exactly: ${typedSentence(answer.sentence)}`;
    case 'not_yours':
      return `${card}: only an operator can decide that.`;
    case 'not_here':
      return `${card}: decisions do not count here, because ${answer.why}.`;
    case 'changed':
      return `${card}: your yes came late, and ${answer.why}. Nothing ran; ${shownAgain(answer)}.`;
    case 'unknown':
      return `${card} is not known any more; nothing ran.`;
    case 'expired':
      return `${card} had expired; nothing ran. Ask again if it is still wanted.`;
    case 'too_early':
      return `${card}: ${tooEarly(answer)}, so they do not count for it. Nothing ran, and it waits on.`;
    case 'altered':
      return `${card} was changed in the database since it was proposed, so your answer does not count for it; nothing ran. Run \`oikos audit verify\`.`;
    case 'already':
      return `${card} is already ${answer.status}${answer.by ? ` (${answer.by})` : ''}; nothing more ran.`;
    default:
      return answer satisfies never;
  }
}

function tooEarly({ clock, behindMs }: Extract<DecideAnswer, { kind: 'too_early' }>): string {
  const whose = clock === 'server' ? "your server's" : "the database's";
  return `your words are older than the card by ${whose} clock (${Math.ceil(behindMs / 60_000)} min behind)`;
}

function shownAgain({ again, looking }: Extract<DecideAnswer, { kind: 'changed' }>): string {
  if (again !== null) return `#${again} shows how it is now`;
  if (looking) return 'its files are looked at again, and a new card shows how it is now';
  return 'ask again if it is still wanted';
}

/** An answer to another question goes to the agent; only words about a bound card are held back. */
function explain(assessment: Assessment, cards: readonly OpenCard[], afterCard: boolean): Heard {
  const line = assessment.explain;
  if (assessment.isTalk) return { kind: 'talk', ...(line !== undefined && { line }) };
  const aboutCard = !afterCard || cards.some((card) => card.bound);
  if (assessment.label === 'hold' && aboutCard) {
    return { kind: 'explained', line: line ?? 'Nothing runs; the card stays open.' };
  }
  return line !== undefined && aboutCard ? { kind: 'explained', line } : { kind: 'talk' };
}

function wayOf(
  text: IncomingText,
  assessment: Assessment,
  waiting: readonly ExecutionWithApproval[],
): DecisionWay {
  if (assessment.label === 'typed_confirm') return 'typed';
  return cardReplied(text, waiting) ? 'reply' : 'words';
}

function cardReplied(text: IncomingText, waiting: readonly ExecutionWithApproval[]) {
  const target = text.replyTo ?? text.threadRoot;
  return waiting.find(({ approval }) => target !== undefined && approval.cardEvent === target);
}

function saidBy(
  text: IncomingText,
  waiting: readonly ExecutionWithApproval[],
  afterCard: boolean,
): Said {
  const card = cardReplied(text, waiting);
  const elsewhere = text.replyTo !== undefined || isUnderOtherWords(text, waiting);
  const kind = card ? 'reply_to_card' : elsewhere ? 'reply_elsewhere' : 'text';
  const number = card?.execution.number;
  return {
    kind: text.msgtype === 'm.text' ? kind : text.msgtype === 'm.emote' ? 'emote' : 'notice',
    body: text.body,
    ...(text.formattedBody !== undefined && { formattedBody: text.formattedBody }),
    ...(number != null && { onCard: number }),
    fromOperator: true,
    afterCard,
  };
}

/** K11: words in a thread bind like replies to its root; the tasks of a thread live in it. */
function isUnderOtherWords(text: IncomingText, waiting: readonly ExecutionWithApproval[]): boolean {
  if (text.threadRoot === undefined) return false;
  return waiting.every(({ threadRoot }) => threadRoot !== text.threadRoot);
}

/** Words bind to the cards of their own place: the main timeline, or the same thread. */
function inPlace({ approval, threadRoot }: ExecutionWithApproval, place: Place): boolean {
  if (place.kind === 'task') return approval.taskId === place.task.id;
  return threadRoot === (place.kind === 'thread' ? place.root : null);
}

/** A yes that crossed the card on the wire is not a yes (R0). */
function wasShownBefore(
  { approval }: ExecutionWithApproval,
  text: IncomingText,
  userId: string,
): boolean {
  if (approval.shownSeq === null || approval.shownTs === null) return false;
  if (approval.shownSeq >= text.seq) return false;
  const slack = sameServer(text.sender, userId) ? 0 : FOREIGN_CLOCK_SLACK_MS;
  return text.at.getTime() + slack > approval.shownTs.getTime();
}

/** The times of our own cards are our homeserver's. */
function sameServer(sender: string, userId: string): boolean {
  return serverOf(sender) === serverOf(userId);
}

function serverOf(userId: string): string {
  return userId.slice(userId.indexOf(':') + 1);
}

async function openCards(
  deps: ConversationDeps,
  text: IncomingText,
  waiting: readonly ExecutionWithApproval[],
): Promise<OpenCard[]> {
  const earliest = Math.min(...waiting.map(({ approval }) => approval.shownSeq ?? text.seq));
  const rows = await messagesBetween(deps.db, text.roomId, earliest, text.seq);
  const messages = rows.map((row): RoomMessage => {
    const fromUs = row.sender === deps.userId;
    const mark = fromUs ? markOf(row.content) : undefined;
    return {
      seq: row.seq,
      sender: row.sender,
      fromUs,
      edit: isEdit(row.content),
      kind: mark?.kind ?? 'speech',
      taskId: mark?.task,
      approvals: mark?.approvals ?? [],
    };
  });
  const open = new Set(waiting.map(({ approval }) => approval.id));
  return waiting.map(({ approval, execution }) => {
    const shown = {
      approvalId: approval.id,
      taskId: approval.taskId,
      shownSeq: approval.shownSeq ?? text.seq,
    };
    const { phraseVerb: verb, phraseObject: object, phraseAliases: aliases } = approval;
    return {
      id: approval.id,
      number: execution.number ?? 0,
      what: `${inCode(commandSummary(execution.command))} on ${execution.targetSlug}`,
      risk: execution.risk,
      phrase: verb !== null && object !== null ? { verb, object, aliases } : null,
      ...(needsNumber(execution.command)
        ? { bound: false, last: false }
        : bindingOf(shown, text.sender, messages, open)),
    };
  });
}

/** Told as Markdown: no mark of a command may take effect. */
function inCode(command: string): string {
  return `\`${command.replaceAll('`', "'")}\``;
}
