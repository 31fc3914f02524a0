import { printable } from '../../shared/printable.ts';
import type { TimelineItem } from '../console/timeline.ts';
import type { Colour, Paint } from './paint.ts';
import { displayWidth, wrap } from './width.ts';

export interface RenderOptions {
  readonly columns: number;
  readonly paint: Paint;
  readonly nameOf: (sender: string) => string;
  /** Whose reactions are not shown: they are the buttons that the bot offers. */
  readonly botId: string;
}

/** One message as lines for a terminal; whoever wrote it, nothing in it controls the terminal. */
export function renderItem(item: TimelineItem, options: RenderOptions): readonly string[] {
  const body = printable(item.body, { newlines: true });
  const lines = item.redacted
    ? [options.paint('dim', '(deleted)')]
    : [...content(item, body, options), ...reactions(item, options)];
  return [...lines, ''];
}

/** The number on a card of ours; undefined on every other message. */
export function cardNumber(item: TimelineItem, botId: string): number | undefined {
  const card = item.sender === botId ? item.content['io.oikos.card'] : undefined;
  if (typeof card !== 'object' || card === null || !('number' in card)) return undefined;
  return typeof card.number === 'number' ? card.number : undefined;
}

const OPEN = /^#\d+ (?:needs your yes|DESTROYS|INTERRUPTS|SHOWS A SECRET)\b/;

/** Whether a card still waits: its first line asks for something. */
export function isOpenCard(item: TimelineItem, botId: string): boolean {
  return cardNumber(item, botId) !== undefined && OPEN.test(item.body);
}

function content(item: TimelineItem, body: string, options: RenderOptions): readonly string[] {
  const { columns, paint, botId } = options;
  if (isProgress(item, botId)) return wrap(body, columns).map((line) => paint('dim', line));
  const number = cardNumber(item, botId);
  if (number !== undefined && item.msgtype === 'm.text') return box(cardBody(item, body), options);
  const name = options.nameOf(item.sender);
  const place = item.threadRoot === null ? '' : ' (in the thread)';
  const colour: Colour = item.sender === botId ? 'cyan' : 'blue';
  const text = number === undefined ? body : `${body.split('\n')[0] ?? ''}${outputOf(body)}`;
  return [
    `${paint(colour, name)}${paint('dim', place)}`,
    ...wrap(text, columns - 2).map((line) => `  ${line}`),
  ];
}

function isProgress(item: TimelineItem, botId: string): boolean {
  const mark = item.sender === botId ? item.content['io.oikos.ref'] : undefined;
  return typeof mark === 'object' && mark !== null && 'kind' in mark && mark.kind === 'progress';
}

/** A card that is over is told in short: how it ended, by whom, and what came out. */
function cardBody(item: TimelineItem, body: string): string {
  if (isOpenCard(item, item.sender)) return body;
  const [head = '', ...rest] = body.split('\n');
  const facts = rest.filter((line) => /^(?:Approved|Denied|Reason|Under|Started)\b/.test(line));
  return `${[head, ...facts].join('\n')}${outputOf(body)}`;
}

function outputOf(body: string): string {
  return /\nOutput[^\n]*:\n```\n[\s\S]*?\n```/.exec(body)?.[0] ?? '';
}

function box(body: string, { columns, paint }: RenderOptions): readonly string[] {
  const colour = cardColour(body);
  const inner = Math.max(8, Math.min(columns, 100) - 4);
  const edge = (left: string, right: string) =>
    paint(colour, `${left}${'─'.repeat(inner + 2)}${right}`);
  const [head = '', ...rest] = body.split('\n').filter((line) => line !== '```');
  const headLines = wrap(head, inner).map((line) => ({ line, bold: true }));
  const restLines = wrap(rest.join('\n'), inner).map((line) => ({ line, bold: false }));
  const rows = [...headLines, ...(rest.length > 0 ? restLines : [])].map(({ line, bold }) => {
    const filled = ' '.repeat(Math.max(0, inner - displayWidth(line)));
    const text = bold ? paint('bold', line) : line;
    return `${paint(colour, '│')} ${text}${filled} ${paint(colour, '│')}`;
  });
  return [edge('┌', '┐'), ...rows, edge('└', '┘')];
}

function cardColour(body: string): Colour {
  const state = /^#\d+ (\w+)/.exec(body)?.[1] ?? '';
  if (/^(?:[A-Z]+|failed|lost)$/.test(state)) return 'red';
  if (state === 'completed') return 'green';
  return state === 'needs' || state === 'runs' || state === 'is' ? 'yellow' : 'dim';
}

function reactions(item: TimelineItem, options: RenderOptions): readonly string[] {
  const shown = item.reactions
    .filter(({ sender }) => sender !== options.botId)
    .map(({ key, sender }) => `${printable(key, { newlines: false })} ${options.nameOf(sender)}`);
  return shown.length === 0 ? [] : [options.paint('dim', `  ${shown.join(', ')}`)];
}
