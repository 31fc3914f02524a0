import { printable } from '../shared/printable.ts';
import type { TimelineItem } from './console/timeline.ts';

export interface Transcript {
  /** What was said, reacted or changed since the last call, as plain text; empty when nothing was. */
  news(items: readonly TimelineItem[]): string;
}

/** A room as plain text, in the order of what a person sees: a card again where it changed. */
export function openTranscript(names: ReadonlyMap<string, string>): Transcript {
  const shown = new Map<string, string>();
  const nameOf = (item: TimelineItem) => names.get(item.sender) ?? item.sender;
  return {
    news(items) {
      const visible = items.filter((item) => !item.redacted);
      const fresh = visible.filter(({ eventId }) => !shown.has(eventId));
      const edited = visible.filter(
        ({ eventId, body }) => shown.has(eventId) && shown.get(eventId) !== body,
      );
      for (const { eventId, body } of [...fresh, ...edited]) shown.set(eventId, body);
      // An answer to a card changes it above: it is read after the answer, before what followed.
      const [first, ...rest] = fresh;
      return [
        ...(first ? [said(first, nameOf(first))] : []),
        ...edited.map((item) => changed(item, nameOf(item))),
        ...rest.map((item) => said(item, nameOf(item))),
      ].join('\n\n');
    },
  };
}

function said(item: TimelineItem, name: string): string {
  return `${name}:\n${indented(item.body)}`;
}

/** Of a changed card only what a person looks for: its new first line, and the output. */
function changed(item: TimelineItem, name: string): string {
  const [head = ''] = item.body.split('\n');
  const output = /\nOutput:\n```\n[\s\S]*?\n```/.exec(item.body)?.[0] ?? '';
  return `${name}, on the same message:\n${indented(head + output)}`;
}

function indented(text: string): string {
  const lines = printable(text, { newlines: true }).split('\n');
  return lines.map((line) => `  ${line}`).join('\n');
}
