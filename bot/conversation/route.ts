import {
  type ApprovalRow,
  approvalOfEvent,
  executionOfEvent,
  markShown,
} from '../../shared/db/approvals.ts';
import { audit } from '../../shared/db/audit.ts';
import { readNow } from '../../shared/db/clock.ts';
import { type InboxRow, isAsSynced, markHandled, newestBefore } from '../../shared/db/inbox.ts';
import { announce } from '../../shared/db/outbox.ts';
import { markOffered } from '../../shared/db/rules.ts';
import { runsOfProgress } from '../../shared/db/turns.ts';
import { decide } from '../../shared/decide.ts';
import { revokeRuleOfEvent } from '../../shared/rules.ts';
import { stopExecution } from '../../shared/stop.ts';
import { takeBack } from '../../shared/take-back.ts';
import { readAlwaysAllow } from '../assent/always-allow.ts';
import { callsOff, isStop, isUndo } from '../assent/assent.ts';
import { assessReaction, isStopKey } from '../assent/reaction.ts';
import { revokedLine } from '../cards/rule-lines.ts';
import { isForUs } from './addressed.ts';
import { hearAlwaysAllow } from './always-allow.ts';
import { answerCommand, isCommand } from './commands/answer.ts';
import type { CommandReply } from './commands/command.ts';
import { type CompanyDeps, lookAround, meetCompany, warnOfStrangers } from './company.ts';
import { explainLate, type Heard, hearDecision, lineFor } from './decisions.ts';
import { isEdit, markOf, ruleOffered } from './marks.ts';
import { hearMessage } from './messages.ts';
import { hearOnlooker, warnOfList } from './onlookers.ts';
import { pauseByWord } from './pausing.ts';
import { type Place, placeOf } from './places.ts';
import type { Incoming, IncomingReaction, IncomingTakeBack, IncomingText } from './ports.ts';
import { say } from './speak.ts';
import { type Standing, standingOf } from './standing.ts';
import { type Stopping, stopPlace, takeRoomBack } from './stopping.ts';
import { refuseForged } from './tampering.ts';
import { undoLast } from './undo.ts';

/** Federation and clocks may be this late; nobody's words are. */
const OLD_NEWS_MS = 60 * 60_000;

/** State that says who is in a room. */
const COMPANY_EVENTS = ['m.room.member', 'm.bridge', 'uk.half-shot.bridge'];

export interface Router extends Stopping, CompanyDeps {
  readonly parse: (row: InboxRow) => Incoming;
}

/**
 * Handles one event of a room, in sync order. Decisions, stop and commands act on rows at once and
 * never wait behind the model; everything else becomes a message for the agent. Running it twice
 * for one event changes nothing the second time.
 */
export async function routeEvent(deps: Router, row: InboxRow): Promise<void> {
  if (!isAsSynced(row, deps.seals)) return refuseForged(deps, row);
  if (COMPANY_EVENTS.includes(row.type)) return handleComing(deps, row);
  if (row.sender === deps.userId) return handleOwn(deps, row);
  const incoming = deps.parse(row);
  if (incoming.kind === 'other') return markHandled(deps.db, row.seq);
  if (incoming.kind !== 'take_back' && (await isOldNews(deps, row, [row.sender, deps.userId]))) {
    deps.log.warn({ eventId: row.eventId, at: row.originTs }, 'an old event came as a new one');
    return finish(deps, row, null, await lateLine(deps, row, incoming));
  }
  await meetCompany(deps, row.roomId);
  const standing = await standingOf(deps, row);
  if (incoming.kind === 'text') {
    if (!standing.speaks) return ignore(deps, row, incoming);
    if (isEdit(row.content)) return markHandled(deps.db, row.seq);
    return handleText(deps, row, incoming, standing);
  }
  if (!standing.stops) return ignore(deps, row, incoming);
  if (incoming.kind === 'take_back') return handleTakeBack(deps, row, incoming);
  return handleReaction(deps, row, incoming);
}

/**
 * Old text comes back under new ids (a restored or rewritten homeserver): what is older than its own
 * sender, or we, have been seen to write here before starts nothing and decides nothing (C9).
 */
async function isOldNews(
  deps: Router,
  row: InboxRow,
  senders: readonly string[],
): Promise<boolean> {
  const newest = await newestBefore(deps.db, row, senders);
  return newest !== null && row.originTs.getTime() < newest.getTime() - OLD_NEWS_MS;
}

/** Older than we, but not than what else its sender wrote: a slow clock, or a long way between servers. */
async function lateLine(
  deps: Router,
  row: InboxRow,
  said: IncomingText | IncomingReaction,
): Promise<string | undefined> {
  if (!(await standingOf(deps, row)).decides || (await isOldNews(deps, row, [row.sender]))) {
    return undefined;
  }
  return explainLate(deps, said);
}

/** Somebody came or went, or a bridge was set up. */
async function handleComing(deps: Router, row: InboxRow): Promise<void> {
  await lookAround(deps, row.roomId);
  await markHandled(deps.db, row.seq);
}

/** Our own cards come back by sync: their place in the order is what words are judged against. */
async function handleOwn(deps: Router, row: InboxRow): Promise<void> {
  const mark = isEdit(row.content) ? undefined : markOf(row.content);
  await deps.db.transaction(async (tx) => {
    const offered = isEdit(row.content) ? undefined : ruleOffered(row.content);
    if (offered) await markOffered(tx, offered, row.seq);
    for (const approvalId of mark?.approvals ?? []) {
      await markShown(tx, approvalId, {
        seq: row.seq,
        at: row.originTs,
        eventId: row.eventId,
        isCard: mark?.kind === 'card',
      });
    }
    await markHandled(tx, row.seq);
  });
}

/** Who may not decide is not obeyed; the attempt is kept in the ledger. */
async function ignore(deps: Router, row: InboxRow, incoming: Incoming): Promise<void> {
  const card = incoming.kind === 'reaction' ? await cardOf(deps, incoming.relatesTo) : undefined;
  await deps.db.transaction(async (tx) => {
    if (card) {
      await audit(tx, {
        at: await readNow(tx),
        kind: 'decision.ignored',
        actor: row.sender,
        taskId: card.taskId,
        executionId: card.executionId,
        approvalId: card.id,
        eventId: row.eventId,
        data: { how: 'reaction', why: 'not an operator' },
      });
    }
    if (incoming.kind === 'text') await warnOfStrangers(deps, tx, row, await readNow(tx));
    await markHandled(tx, row.seq);
  });
}

async function handleReaction(
  deps: Router,
  row: InboxRow,
  reaction: IncomingReaction,
): Promise<void> {
  if (isStopKey(reaction.key) && (await stopShown(deps, reaction))) {
    return markHandled(deps.db, row.seq);
  }
  const found = await approvalOfEvent(deps.db, reaction.relatesTo);
  if (!found) return markHandled(deps.db, row.seq);
  const { approval, execution } = found;
  const { phraseVerb: verb, phraseObject: object, phraseAliases: aliases } = approval;
  const card = {
    id: approval.id,
    number: execution.number ?? 0,
    risk: execution.risk,
    phrase: verb !== null && object !== null ? { verb, object, aliases } : null,
    bound: true,
    last: false,
  };
  const assessment = assessReaction(reaction.key, card, true);
  if (assessment.approve.length + assessment.deny.length === 0) {
    return finish(deps, row, approval.taskId, assessment.explain);
  }
  const answer = await decide(deps, {
    approvalId: approval.id,
    decision: assessment.approve.length > 0 ? 'granted' : 'denied',
    by: reaction.sender,
    how: 'reaction',
    words: reaction.key,
    eventId: reaction.eventId,
    heardAt: reaction.receivedAt,
    saidAt: reaction.at,
  });
  return finish(deps, row, approval.taskId, lineFor(answer, card.number));
}

/**
 * 🛑 on the message of a live run, or on the notice that shows it, stops that run; on a waiting card it
 * is a no like any other.
 */
async function stopShown(deps: Router, reaction: IncomingReaction): Promise<boolean> {
  const execution = await executionOfEvent(deps.db, reaction.relatesTo);
  if (execution?.status === 'pending_approval') return false;
  const shown = execution ? [execution] : await runsOfProgress(deps.db, reaction.relatesTo);
  let stopped = false;
  for (const one of shown) {
    stopped = (await stopExecution(deps.db, one, reaction.sender, reaction.eventId)) || stopped;
  }
  return stopped;
}

async function handleText(
  deps: Router,
  row: InboxRow,
  text: IncomingText,
  standing: Standing,
): Promise<void> {
  if (text.msgtype !== 'm.text' || text.body.trim() === '') return markHandled(deps.db, row.seq);
  courtesy(deps, deps.room.receipt(text.roomId, text.eventId));
  const place = await placeOf(deps.db, deps.userId, text);
  if (standing.stops && isStop(text.body)) {
    return finish(deps, row, taskIdOf(place), await stopPlace(deps, row, place));
  }
  const pausing = standing.decides ? await pauseByWord(deps, text) : undefined;
  if (pausing !== undefined) {
    // Like any word that says wait, it also takes back the room that an earlier yes gave.
    const closed = callsOff(text.body) ? await takeRoomBack(deps, row, place) : undefined;
    return finish(deps, row, taskIdOf(place), linesOf(pausing, closed));
  }
  if (isCommand(text.body)) {
    const answer = await answerCommand({ deps, row, text, place }, standing.decides);
    return reply(deps, row, place, answer);
  }
  const always = readAlwaysAllow(text.body, text.formattedBody);
  if (standing.decides && always.is !== 'other') {
    const { text: line, offers } = await hearAlwaysAllow(deps, text, always);
    return finish(deps, row, taskIdOf(place), line, offers);
  }
  const heard = standing.decides
    ? await hearOperator(deps, row, text, place)
    : await hearOnlooker(deps, text);
  const talk = heard.kind === 'talk' && (await isForUs(deps, text, place));
  if (!talk) return finish(deps, row, taskIdOf(place), heard.line);
  await takeTalk(deps, row, text, { place, heard, byOperator: standing.decides });
  courtesy(deps, deps.room.typing(text.roomId, true));
}

/** What an operator's words do besides being talk. */
async function hearOperator(
  deps: Router,
  row: InboxRow,
  text: IncomingText,
  place: Place,
): Promise<Heard> {
  if (isUndo(text.body)) {
    const line = await undoLast(deps.db, row);
    if (line !== undefined) return { kind: 'decided', line };
  }
  const closed = callsOff(text.body, text.formattedBody)
    ? await takeRoomBack(deps, row, place)
    : undefined;
  return withLine(await hearDecision(deps, text, place), closed);
}

async function takeTalk(
  deps: Router,
  row: InboxRow,
  text: IncomingText,
  { place, heard, byOperator }: { place: Place; heard: Heard; byOperator: boolean },
): Promise<void> {
  const { roomId, sender, body, eventId } = text;
  await deps.db.transaction(async (tx) => {
    const now = await readNow(tx);
    const spoken = { roomId, place, agent: deps.agent, sender, byOperator, body, eventId, now };
    const task = await hearMessage(tx, spoken);
    if (heard.line) await say(tx, { roomId, taskId: task.id, text: heard.line, now });
    await warnOfList(deps, tx, roomId, now);
    await markHandled(tx, row.seq);
  });
}

function withLine(heard: Heard, more: string | undefined): Heard {
  const line = linesOf(heard.line, more);
  return line === undefined ? heard : { ...heard, line };
}

function linesOf(...lines: readonly (string | undefined)[]): string | undefined {
  const said = lines.filter((line) => line !== undefined);
  return said.length > 0 ? said.join('\n') : undefined;
}

/** Receipts and typing notices: a homeserver in trouble must hold up neither words nor decisions. */
function courtesy(deps: Router, sent: Promise<void>): void {
  sent.catch((error: unknown) => deps.log.debug({ err: error }, 'a courtesy was not sent'));
}

/** A yes that its message no longer says is withdrawn while that is possible; an edit never approves. */
async function handleTakeBack(
  deps: Router,
  row: InboxRow,
  { of, sender }: IncomingTakeBack,
): Promise<void> {
  const because = `${sender} took the yes back`;
  const numbers = await takeBack(deps.db, { eventId: of, by: sender, because });
  const rule = await revokeRuleOfEvent(deps.db, { of, by: sender });
  const called = numbers.map((number) => `#${number}`).join(', ');
  const lines = [
    ...(numbers.length > 0 ? [`${called}: you took your yes back; nothing ran.`] : []),
    ...(rule ? [revokedLine(rule)] : []),
  ];
  return finish(deps, row, null, lines.length > 0 ? lines.join('\n') : undefined);
}

async function finish(
  deps: Router,
  row: InboxRow,
  taskId: string | null,
  text: string | undefined,
  offers?: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (text) await say(tx, { roomId: row.roomId, taskId, text, offers, now: await readNow(tx) });
    await markHandled(tx, row.seq);
  });
}

async function reply(
  deps: Router,
  row: InboxRow,
  place: Place,
  { text, show }: CommandReply,
): Promise<void> {
  const { roomId } = row;
  const taskId = taskIdOf(place);
  await deps.db.transaction(async (tx) => {
    const now = await readNow(tx);
    if (text) await say(tx, { roomId, taskId, text, now });
    if (show) await announce(tx, { type: 'execution.shown', roomId, taskId, at: now, ...show });
    await markHandled(tx, row.seq);
  });
}

function taskIdOf(place: Place): string | null {
  return place.kind === 'task' ? place.task.id : null;
}

async function cardOf(deps: Router, eventId: string): Promise<ApprovalRow | undefined> {
  return (await approvalOfEvent(deps.db, eventId))?.approval;
}
