import createMarkdownIt, {
  type MarkdownIt,
  type RendererRule,
  type StateCore,
  type Token,
} from 'markdown-it';
import { printable } from '../../shared/printable.ts';
import { escapeHtml, type Rendered } from './document.ts';
import { imitatesCard } from './imitation.ts';

const markdown = createMarkdown();

/**
 * The agent's Markdown as a safe message: no HTML of its own, images as their alt text, links to
 * http and https only and always with their target in sight. A paragraph that imitates a card is
 * quoted and marked: only the bot's own code writes cards.
 */
export function renderAnswer(text: string): Rendered {
  const source = printable(text, { newlines: true }).trim();
  const body = paragraphs(source).map(quoteImitation).join('\n\n');
  return { body, formatted_body: markdown.render(body).trim() };
}

const QUOTED = '(quoted from Nomos)';

function quoteImitation(paragraph: string): string {
  if (!imitatesCard(paragraph) && !imitatesCard(shownText(paragraph))) return paragraph;
  const lines = paragraph.split('\n').map((line) => `> ${line}`.trimEnd());
  return [`> ${QUOTED}`, '>', ...lines].join('\n');
}

/** Blocks between blank lines; a fenced code block stays whole, an unclosed one to the end. */
function paragraphs(source: string): readonly string[] {
  const blocks: string[][] = [[]];
  let fence: string | undefined;
  for (const line of source.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence)) fence = undefined;
    if (line.trim() === '' && fence === undefined) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
}

/** What a screen shows of it: entities and escapes resolved, marks gone. */
function shownText(paragraph: string): string {
  return markdown
    .parse(paragraph, {})
    .map((token) => (token.type === 'inline' ? inlineText(token) : token.content))
    .join('\n');
}

function inlineText(token: Token): string {
  const children = token.children ?? [];
  return children.map(({ type, content }) => (type.endsWith('break') ? '\n' : content)).join('');
}

function createMarkdown(): MarkdownIt {
  const parser = createMarkdownIt({ html: false, linkify: false, breaks: true });
  parser.validateLink = (url) => /^https?:\/\//i.test(url);
  const image: RendererRule = (tokens, index) => escapeHtml(tokens[index]?.content ?? '');
  Object.assign(parser.renderer.rules, { image });
  parser.core.ruler.push('visible_targets', (state) => {
    for (const { children } of state.tokens) if (children !== null) showTargets(children, state);
  });
  return parser;
}

/** Puts ` (https://…)` behind every link whose text is not its target already. */
function showTargets(children: Token[], state: StateCore): void {
  for (let at = children.length - 1; at >= 0; at -= 1) {
    const open = children[at];
    if (open?.type !== 'link_open') continue;
    const href = open.attrGet('href') ?? '';
    open.attrs = [['href', href]];
    const length = children.slice(at).findIndex(({ type }) => type === 'link_close');
    const shown = children.slice(at, at + length).map(({ content }) => content);
    if (shown.join('') === href) continue;
    const target = new state.Token('text', '', 0);
    target.content = ` (${href})`;
    children.splice(at + length + 1, 0, target);
  }
}
