import type { ContentFacts, FileFact, ListFact } from '../../shared/domain/content.ts';
import type { CardView } from './card-view.ts';
import { shownLines } from './command-text.ts';
import { type Block, codeBlock, line } from './document.ts';

/** More files than these are named without their first lines. */
const MAX_HEADS = 4;
const SHOWN_HASH = 12;
const MAX_HEAD_LINES = 20;

/**
 * What the command executes, applies or matches, as it was found on the target: this is part of what
 * a yes is given to. First lines only while there is something to decide.
 */
export function fileBlocks({
  facts,
  status,
}: Pick<CardView, 'facts' | 'status'>): readonly Block[] {
  if (!facts) return [];
  const heads = status === 'pending_approval' ? MAX_HEADS : 0;
  return [
    ...filesThere(facts).flatMap((file, at) => fileLines(file, at < heads)),
    ...facts.lists.map(listLine),
    ...unseenLine(facts),
  ];
}

/** What may be there and is not says nothing; one file under two names is shown once. */
function filesThere({ files }: ContentFacts): readonly FileFact[] {
  const there = files.filter(({ state }) => state !== 'absent');
  const first = new Map<string, FileFact>();
  for (const file of there) {
    const key = `${file.in ?? ''} ${file.found?.real ?? file.path}`;
    if (!first.has(key)) first.set(key, file);
  }
  return [...first.values()];
}

function fileLines(file: FileFact, withHead: boolean): readonly Block[] {
  const { path, use, found } = file;
  const place = file.in === undefined ? '' : ` in ${file.in}`;
  const what = `It ${use.replace(/\bit\b/, `${path}${place}`)}`;
  if (!found) return [line(`${what}.`)];
  const real = found.real === path || !path.startsWith('/') ? '' : `, which leads to ${found.real}`;
  const { owner, mode, sha256 } = found;
  const rights = `owner ${owner}, mode ${mode}, sha256 ${sha256.slice(0, SHOWN_HASH)}…`;
  const facts = `${what} (${sizeText(found.size)}, ${rights})${real}`;
  if (!withHead) return [line(`${facts}.`)];
  if (found.head === undefined) return [line(`${facts}. Its text is not shown.`)];
  return [line(`${facts}. It begins:`), codeBlock(shownLines(headOf(found.head)))];
}

function headOf(text: string): string {
  return text.split('\n').slice(0, MAX_HEAD_LINES).join('\n').replace(/\n$/, '');
}

function listLine({ pattern, count, names }: ListFact): Block {
  const more = count > names.length ? `, and ${count - names.length} more` : '';
  const things = count === 1 ? '1 file' : `${count} files`;
  return line(`${pattern} matches ${things}: ${names.join(', ')}${more}.`);
}

const MAX_UNSEEN = 8;

function unseenLine({ unseen = [] }: ContentFacts): readonly Block[] {
  if (unseen.length === 0) return [];
  const more = unseen.length > MAX_UNSEEN ? `, and ${unseen.length - MAX_UNSEEN} more` : '';
  const names = unseen.slice(0, MAX_UNSEEN).map((name) => name.replace(/\s+/g, ' ').slice(0, 80));
  return [line(`They name further files that were not looked at: ${names.join(', ')}${more}.`)];
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
