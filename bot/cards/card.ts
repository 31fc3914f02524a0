import { typedSentence } from '../../shared/domain/approval.ts';
import { durationText } from '../../shared/domain/duration.ts';
import { type CardOptions, type CardView, runFacts, slugOf } from './card-view.ts';
import { commandSummary, commandText, needsNumber } from './command-text.ts';
import {
  type Block,
  bold,
  codeBlock,
  type Inline,
  line,
  quoted,
  type Rendered,
  render,
} from './document.ts';
import { fileBlocks } from './file-text.ts';
import { outputBlocks } from './output-text.ts';
import { timeText } from './time-text.ts';
import { CLASS_WORDS, FLAG_WORDS, graveWord, WAY_WORDS } from './words.ts';

export type { CardOptions, CardView } from './card-view.ts';

const MAX_PURPOSE = 200;

/**
 * The card of an execution in any state. Facts first: what waits or happened, class and reasons,
 * target, the whole command, what to say, until when; the agent's own words come last.
 */
export function renderCard(view: CardView, options: CardOptions): Rendered {
  return render([
    line(bold(headline(view, options.now))),
    ...decisionLines(view, options),
    ...runLines(view, options),
    classLine(view),
    line(`On ${view.target}, asked by ${view.requestedBy}.`),
    ...(view.touches ?? []).map((guest) => line(`Acts on: ${guest}.`)),
    ...(view.provenance === undefined ? [] : [line(`Where it comes from: ${view.provenance}.`)]),
    ...(view.passedBy === undefined
      ? []
      : [line(`R${view.passedBy.number} does not let it run this time: ${view.passedBy.why}.`)]),
    ...commandBlocks(view),
    ...fileBlocks(view),
    ...outputBlocks(view.tail ?? '', view.outputCut ?? false),
    ...askLines(view, options),
    ...purposeLines(view.purpose),
  ]);
}

function headline(view: CardView, now: Date): string {
  const what = `${commandSummary(view.command)} on ${slugOf(view)}`;
  const facts = runFacts(view, durationText);
  const end = facts === '' ? '' : ` (${facts})`;
  switch (view.status) {
    case 'proposed':
      return `#${view.number} is being looked at: ${what}`;
    case 'pending_approval':
      return question(view, what);
    case 'approved':
      return `#${view.number} is approved and starts ${startText(view, now)}: ${what}`;
    case 'running':
      return `#${view.number} runs: ${what}`;
    case 'completed':
      return `#${view.number} completed${end}: ${what}`;
    case 'failed':
      return `#${view.number} failed${end}: ${what}`;
    case 'denied':
      return `#${view.number} denied, nothing ran: ${what}`;
    case 'expired':
      return `#${view.number} expired, nothing ran: ${what}`;
    case 'cancelled':
      return `#${view.number} cancelled${view.startedAt ? end : ', nothing ran'}: ${what}`;
    case 'refused':
      return `#${view.number} refused${view.startedAt ? end : ', nothing ran'}: ${what}`;
    case 'lost':
      return `#${view.number} lost, its end is not known: ${what}`;
  }
}

/** What was confirmed can be called off for a moment, from a phone with one tap. */
function startText({ startsAt }: CardView, now: Date): string {
  if (!startsAt || startsAt <= now) return 'soon';
  return `in ${Math.ceil((startsAt.getTime() - now.getTime()) / 1_000)} s, 🛑 or "oops" stops it`;
}

/** An access card says first what is gained: that is what the yes gives away. */
function question(view: CardView, what: string): string {
  if (view.risk === 'destructive') {
    return view.phrase === null
      ? `#${view.number} DESTROYS and has no sentence to confirm it: ${what}`
      : `#${view.number} ${graveWord(view.phrase.verb)}: type "${typedSentence(view.phrase)}" to run it: ${what}`;
  }
  const gain = view.flags.includes('access') ? view.reasons[0] : undefined;
  return `#${view.number} needs your yes: ${gain === undefined ? '' : `${gain}: `}${what}`;
}

function decisionLines(view: CardView, { timeZone }: CardOptions): readonly Block[] {
  const { decision, underWindow, windowUntil } = view;
  const lines: Block[] = [];
  if (decision !== undefined) {
    const verb = decision.granted ? 'Approved' : 'Denied';
    const way = WAY_WORDS[decision.how];
    lines.push(line(`${verb} by ${decision.by} ${way} at ${timeText(decision.at, timeZone)}.`));
  }
  if (underWindow !== undefined) {
    const until = timeText(underWindow.until, timeZone);
    lines.push(line(`Under ${underWindow.openedBy}'s yes, which holds until ${until}.`));
  }
  if (windowUntil) {
    const covers =
      view.risk === 'destructive'
        ? 'Further work on the same object runs'
        : 'Further changes of this task run';
    lines.push(line(`${covers} at once until ${timeText(windowUntil, timeZone)}.`));
  }
  return lines;
}

function runLines(view: CardView, { timeZone }: CardOptions): readonly Block[] {
  const { outcome, startedAt, status } = view;
  const lines: Block[] = [];
  if (outcome !== undefined) lines.push(line(`Reason: ${outcome}`));
  if (startedAt && (status === 'running' || status === 'lost')) {
    const stop = status === 'running' ? '; 🛑 stops it' : '';
    lines.push(line(`Started at ${timeText(startedAt, timeZone)}${stop}.`));
  }
  if (status === 'running' && view.unreachableSince) {
    const since = timeText(view.unreachableSince, timeZone);
    lines.push(line(`Its host has not answered since ${since}; the command may go on there.`));
  } else if (status === 'running' && view.quietSince) {
    lines.push(line(`It has printed nothing since ${timeText(view.quietSince, timeZone)}.`));
  }
  return lines;
}

function classLine({ risk, flags, reasons }: CardView): Block {
  const marks = flags.map((flag) => `${flag} (${FLAG_WORDS[flag]})`);
  const facts = [`${risk} (${CLASS_WORDS[risk]})`, ...marks].join(', ');
  if (reasons.length === 0) return line(`Class: ${facts}.`);
  const why = reasons.map((reason) => reason.replace(/\.$/, '')).join('; ');
  return line(...quoted(`Class: ${facts}. Why: ${why}.`));
}

function commandBlocks({ command, reasons }: CardView): readonly Block[] {
  const { text, cut } = commandText(command);
  if (cut === null) return [codeBlock(text)];
  const riskiest = reasons[0] === undefined ? '' : ` Riskiest part: ${reasons[0]}.`;
  return [
    line(
      ...quoted(
        `The first ${cut.shown} of ${cut.total} characters; full text attached.${riskiest}`,
      ),
    ),
    codeBlock(text),
    line(`sha256 ${cut.sha256}`),
  ];
}

function askLines(view: CardView, { now, timeZone }: CardOptions): readonly Block[] {
  if (view.status !== 'pending_approval') return [];
  const { expiresAt } = view;
  const lines = [line(...howToAnswer(view))];
  if (expiresAt !== null) {
    const passed = expiresAt <= now;
    lines.push(line(`${passed ? 'Waited' : 'Waits'} until ${timeText(expiresAt, timeZone)}.`));
  }
  return lines;
}

function howToAnswer({ number, risk, phrase, command }: CardView): readonly Inline[] {
  const no = `no or 👎 denies`;
  if (risk === 'destructive') {
    return phrase === null
      ? [`Nothing runs it as it stands: ask for one step per object; ${no}.`]
      : // Bold, so that nobody types the full stop too.
        ['Type exactly: ', bold(typedSentence(phrase)), `. A yes or 👍 does not run it; ${no}.`];
  }
  return needsNumber(command)
    ? [`Say "yes #${number}", react 👍, or reply; it is too long for a bare yes; ${no}.`]
    : [`Say yes or go ahead, react 👍, or reply; ${no}.`];
}

function purposeLines(purpose: string): readonly Block[] {
  const words = [...purpose.replaceAll(/\s+/g, ' ').trim()];
  if (words.length === 0) return [];
  const cut = words.length > MAX_PURPOSE;
  const text = cut ? `${words.slice(0, MAX_PURPOSE - 1).join('')}…` : words.join('');
  return [line(`Nomos says: ${text}`)];
}
