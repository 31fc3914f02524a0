import type { Played } from './play.ts';

/** A fence that no output of ours ends: cards hold fences of three. */
const FENCE = '````';

/** What was played, as Markdown: a heading a part, its explanation, and the conversation. */
export function toMarkdown(
  parts: readonly Played[],
  options: { readonly numbered: boolean },
): string {
  const lines: string[] = [];
  let chat: string[] = [];
  let number = 0;
  const flush = () => {
    if (chat.length > 0) lines.push(`${FENCE}text`, chat.join('\n\n'), FENCE, '');
    chat = [];
  };
  for (const { kind, text } of parts) {
    if (kind === 'chat') {
      chat.push(text);
      continue;
    }
    flush();
    number += kind === 'heading' ? 1 : 0;
    const head = options.numbered ? `### ${number}. ${text}` : `### ${text}`;
    lines.push(kind === 'heading' ? head : text, '');
  }
  flush();
  return lines.join('\n').trimEnd();
}

/** The document with the text between two marks replaced; undefined when a mark is missing. */
export function withSection(document: string, name: string, text: string): string | undefined {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) return undefined;
  return `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`;
}

/** The first line in which two texts differ, for a person to read; undefined when there is none. */
export function firstDifference(wanted: string, found: string): string | undefined {
  if (wanted === found) return undefined;
  const [a, b] = [wanted.split('\n'), found.split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  const line = at < 0 ? a.length : at;
  return `line ${line + 1}:\n  written: ${a[line] ?? '(end)'}\n  played:  ${b[line] ?? '(end)'}`;
}
