import { typedSentence } from '../../shared/domain/approval.ts';
import { durationText } from '../../shared/domain/duration.ts';
import type { ConfirmPhrase } from '../../shared/domain/gate-result.ts';
import { type CardOptions, type CardView, runFacts, slugOf } from './card-view.ts';
import { commandSummary, commandText } from './command-text.ts';
import { type Block, bold, codeBlock, line, type Rendered, render } from './document.ts';
import { outputBlocks } from './output-text.ts';
import { dateText, minutesLeft } from './time-text.ts';

/**
 * A run that nobody is asked about, because an earlier yes or a rule covers it: one line that says
 * so, the whole command where the line does not hold it, and in the end what came out.
 */
export function renderUnaskedRun(view: CardView, options: CardOptions): Rendered {
  const whole = commandText(view.command);
  const fits = whole.cut === null && whole.text === commandSummary(view.command);
  return render([
    line(bold(unaskedHeadline(view, options))),
    ...(view.outcome === undefined ? [] : [line(`Reason: ${view.outcome}`)]),
    ...(fits ? [] : [codeBlock(whole.text)]),
    ...(whole.cut === null ? [] : [line(`full text attached, sha256 ${whole.cut.sha256}`)]),
    ...outputBlocks(view.tail ?? '', view.outputCut ?? false),
  ]);
}

/** In place of a card whose row says something else than what was proposed. */
export function renderAltered(number: number): Rendered {
  return render([
    line(bold(`#${number} was changed in the database since it was proposed`)),
    line('It is not shown, no answer counts for it, and nothing runs. Run `oikos audit verify`.'),
  ]);
}

function unaskedHeadline(view: CardView, options: CardOptions): string {
  const { number, status } = view;
  const what = `${commandSummary(view.command)} on ${slugOf(view)}`;
  const why = permissionText(view, options);
  const facts = runFacts(view, durationText);
  const end = facts === '' ? '' : ` (${facts})`;
  switch (status) {
    case 'proposed':
    case 'pending_approval':
    case 'approved':
    case 'running':
      return `#${number} runs now ${why}: ${what}`;
    case 'completed':
      return `#${number} completed${end} ${why}: ${what}`;
    case 'failed':
      return `#${number} failed${end} ${why}: ${what}`;
    case 'lost':
      return `#${number} lost ${why}, its end is not known: ${what}`;
    case 'denied':
    case 'expired':
    case 'cancelled':
    case 'refused':
      return `#${number} ${status}${view.startedAt ? end : ', nothing ran'}: ${what}`;
  }
}

/** `by R1 (2 of 3 in 24 hours), allowed by @ops:home on 30 Nov 2026`, or `under @ops:home's yes (12 min left)`. */
function permissionText(
  { byRule, underWindow, risk, requestedBy }: CardView,
  { now, timeZone }: CardOptions,
): string {
  if (byRule) {
    const { number, allowedBy, allowedAt, use, dailyCap } = byRule;
    return `by R${number} (${use} of ${dailyCap} in 24 hours), allowed by ${allowedBy} on ${dateText(allowedAt, timeZone)}`;
  }
  // Nobody is asked about what only reads: it has a line because somebody typed it himself.
  if (risk === 'read_only') return `for ${requestedBy}`;
  if (!underWindow) return 'under an earlier yes';
  const { openedBy, until } = underWindow;
  return now < until
    ? `under ${openedBy}'s yes (${minutesLeft(until, now)} left)`
    : `under ${openedBy}'s yes`;
}

export interface PendingLine {
  readonly number: number;
  /** `systemctl restart nginx on lxc:web` */
  readonly summary: string;
  readonly phrase: ConfirmPhrase | null;
}

/** What still waits, one line each with what to say (K14). Counts as showing the cards again. */
export function renderPendingLines(cards: readonly PendingLine[]): Rendered {
  const lines = cards.map(({ number, summary, phrase }) => {
    const say = phrase === null ? `say yes #${number}` : `type "${typedSentence(phrase)}"`;
    return line(bold(`#${number}`), ` ${summary}: ${say}, or no #${number}`);
  });
  const head = cards.length === 1 ? 'One thing waits:' : `${cards.length} things wait:`;
  return render([line(head), ...lines]);
}

export const STEP_STATES = ['running', 'done', 'failed', 'refused', 'waiting'] as const;

export interface ProgressStep {
  readonly tool: string;
  readonly target?: string | undefined;
  readonly command?: string | undefined;
  readonly state: (typeof STEP_STATES)[number];
  readonly seconds?: number | undefined;
  readonly note?: string | undefined;
}

const MAX_STEPS = 12;
const STEP_SIGNS: Readonly<Record<ProgressStep['state'], string>> = {
  running: '▸',
  done: '✓',
  refused: '✗',
  failed: '✗',
  waiting: '…',
};

/** What the agent is doing, as one short notice that is edited in place. The latest steps only. */
export function renderProgress(steps: readonly ProgressStep[]): Rendered {
  const shown = steps.slice(-MAX_STEPS);
  const hidden = steps.length - shown.length;
  const earlier: Block[] = hidden === 0 ? [] : [line(`… ${hidden} earlier steps`)];
  return render([...earlier, ...shown.map((step) => line(stepText(step)))]);
}

function stepText({ tool, target, command, state, seconds, note }: ProgressStep): string {
  const place = target === undefined ? '' : ` on ${target}`;
  const what = command === undefined ? '' : `: ${commandSummary(command)}`;
  const time = seconds === undefined ? '' : durationText(seconds * 1_000);
  const facts = [state === 'done' ? '' : state, time, note ?? ''].filter((fact) => fact !== '');
  const end = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `${STEP_SIGNS[state]} ${tool}${place}${what}${end}`;
}
