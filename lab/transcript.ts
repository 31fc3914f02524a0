import { printable } from '../shared/printable.ts';
import type { TimelineItem } from './console/timeline.ts';

export interface Transcript {
  /** What was said, reacted or changed since the last call, as plain text; empty when nothing was. */
  news(items: readonly TimelineItem[]): string;
}

/** A room as plain text, in the order of what a person sees: a card again where it changed. */
export function openTranscript(names: ReadonlyMap<string, string>): Transcript {
  const shown = new Map<string, string>();
  const reacted = new Set<string>();
  const nameOf = (sender: string) => names.get(sender) ?? sender;
  return {
    news(items) {
      const visible = items.filter((item) => !item.redacted && !isUnfinished(item));
      const fresh = inOrder(visible.filter(({ eventId }) => !shown.has(eventId)));
      const edited = visible.filter(
        ({ eventId, body }) => shown.has(eventId) && shown.get(eventId) !== body,
      );
      const reactions = items.flatMap((item) =>
        item.reactions
          .filter(({ eventId, sender }) => !reacted.has(eventId) && sender !== item.sender)
          .map(({ eventId, sender, key }) => {
            reacted.add(eventId);
            return `${nameOf(sender)}, on ${headOf(item)}:\n${indented(key)}`;
          }),
      );
      for (const { eventId, body } of [...fresh, ...edited]) shown.set(eventId, body);
      // An answer to a card changes it above: it is read after the answer, before what followed.
      const said = fresh.map((item) => `${nameOf(item.sender)}:\n${indented(item.body)}`);
      const [first, ...rest] = reactions.length > 0 ? [undefined, ...said] : said;
      return [
        ...(first === undefined ? [] : [first]),
        ...reactions,
        ...edited.map((item) => changed(item, nameOf(item.sender))),
        ...rest,
      ].join('\n\n');
    },
  };
}

/** A step that never came to its end left no trace that is worth reading. */
function isUnfinished(item: TimelineItem): boolean {
  return item.body.split('\n').every((line) => line.startsWith('▸ '));
}

/**
 * Progress and the lines of runs under a window are sent side by side: which is first is chance, so
 * the progress is read first.
 */
function inOrder(items: readonly TimelineItem[]): readonly TimelineItem[] {
  const groups: TimelineItem[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group && item.msgtype === 'm.notice' && group[0]?.msgtype === 'm.notice') group.push(item);
    else groups.push([item]);
  }
  return groups.flatMap((group) => group.toSorted((a, b) => rank(a) - rank(b)));
}

function rank({ body }: TimelineItem): number {
  return Number(/^#(\d+)/.exec(body)?.[1] ?? 0);
}

function headOf({ body }: TimelineItem): string {
  return /^#\d+/.exec(body)?.[0] ?? 'a message';
}

/** Of a changed card only what a person looks for: its new first line, and the output. */
function changed(item: TimelineItem, name: string): string {
  const [head = ''] = item.body.split('\n');
  const output = /\nOutput:\n```\n[\s\S]*?\n```/.exec(item.body)?.[0] ?? '';
  return `${name}, on the same message:\n${indented(head + output)}`;
}

function indented(text: string): string {
  const lines = printable(text, { newlines: true }).split('\n');
  return lines.map((line) => `  ${line}`.trimEnd()).join('\n');
}
