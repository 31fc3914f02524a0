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
      const entries = items
        .filter((item) => !item.redacted)
        .flatMap((item) => {
          const before = shown.get(item.eventId);
          if (before === item.body) return [];
          shown.set(item.eventId, item.body);
          return [before === undefined ? said(item, nameOf(item)) : changed(item, nameOf(item))];
        });
      return entries.join('\n\n');
    },
  };
}

function said(item: TimelineItem, name: string): string {
  return `${name}:\n${indented(item.body)}`;
}

/** Of a changed card only what a person looks for: its new first line, and the output. */
function changed(item: TimelineItem, name: string): string {
  const [head = ''] = item.body.split('\n');
  const output = item.body.indexOf('\nOutput:\n');
  return `${name}, on the same message:\n${indented(output < 0 ? head : head + item.body.slice(output))}`;
}

function indented(text: string): string {
  const lines = printable(text, { newlines: true }).split('\n');
  return lines.map((line) => `  ${line}`).join('\n');
}
