import { printable } from '../../shared/printable.ts';

/** What a room message carries: plain text and its HTML twin. */
export interface Rendered {
  readonly body: string;
  readonly formatted_body: string;
}

export type Inline = string | { readonly is: 'bold' | 'code'; readonly text: string };

export type Block =
  | { readonly is: 'line'; readonly inlines: readonly Inline[] }
  | { readonly is: 'code'; readonly text: string };

/** A small document: lines and code blocks, top to bottom. */
export type Doc = readonly Block[];

export function line(...inlines: readonly Inline[]): Block {
  return { is: 'line', inlines };
}

export function bold(text: string): Inline {
  return { is: 'bold', text };
}

/** The gate's words, in which a part of a command stands between backticks, as code. */
export function quoted(text: string): readonly Inline[] {
  return text
    .split(/(`[^`]+`)/)
    .filter((part) => part !== '')
    .map((part) => (/^`.+`$/s.test(part) ? { is: 'code', text: part.slice(1, -1) } : part));
}

export function codeBlock(text: string): Block {
  return { is: 'code', text };
}

/** The one way from a document to a message: hidden characters shown, HTML escaped, fences safe. */
export function render(doc: Doc): Rendered {
  return { body: doc.map(blockText).join('\n'), formatted_body: html(doc) };
}

/** Escapes what HTML gives a meaning to; the only place that does. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function blockText(block: Block): string {
  if (block.is === 'line') return block.inlines.map(inlineText).join('');
  const text = printable(block.text, { newlines: true });
  const fence = fenceFor(text);
  return `${fence}\n${text}\n${fence}`;
}

function inlineText(inline: Inline): string {
  const text = shownText(inline);
  return typeof inline !== 'string' && inline.is === 'code' ? `\`${text}\`` : text;
}

function shownText(inline: Inline): string {
  return printable(typeof inline === 'string' ? inline : inline.text, { newlines: false });
}

/** Longer than any run of backticks inside, so that the text cannot end its own block. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return '`'.repeat(longest + 1);
}

/** Lines that follow each other are parted by `<br>`; a code block parts by itself. */
function html(doc: Doc): string {
  return doc
    .map((block, at) => {
      const joined = block.is === 'line' && doc[at + 1]?.is === 'line';
      return `${blockHtml(block)}${joined ? '<br>' : ''}`;
    })
    .join('');
}

function blockHtml(block: Block): string {
  if (block.is === 'line') return block.inlines.map(inlineHtml).join('');
  const text = escapeHtml(printable(block.text, { newlines: true }));
  return `<pre><code>${text}\n</code></pre>`;
}

function inlineHtml(inline: Inline): string {
  const text = escapeHtml(shownText(inline));
  if (typeof inline === 'string') return text;
  return inline.is === 'bold' ? `<b>${text}</b>` : `<code>${text}</code>`;
}
