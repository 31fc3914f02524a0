import type { ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { forEachChild } from 'unbash';

/** Something in the text the parser's tree does not account for. */
interface Doubt {
  readonly pos: number;
  readonly end: number;
  readonly why: string;
}

const UNEXPLAINED = 'holds text the parser did not explain';

/**
 * Checks the parser's work: text it calls plain may hold nothing the shell acts on, and every
 * character must belong to a node, an operator, a keyword or a comment. The parser is good, but a
 * command it overlooks would run unjudged.
 */
export function doubts(script: ParsedScript, source: string): readonly Doubt[] {
  const auditor = new Auditor(source);
  auditor.script(script, 0, source.length);
  return auditor.found;
}

class Auditor {
  readonly found: Doubt[] = [];
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** Audits a script that should explain all of the source from `start` to `end`. */
  script(script: ParsedScript, start: number, end: number): void {
    const leaves: { pos: number; end: number }[] = [];
    this.visit(script, leaves);
    const rest = uncovered(this.source, leaves, start, end);
    if (rest !== '') this.doubt({ pos: start, end }, `${UNEXPLAINED}: ${rest.slice(0, 30)}`);
  }

  private visit(node: SyntaxNode, leaves: { pos: number; end: number }[]): void {
    if (node.type === 'Word') this.word(node);
    if (node.type === 'HereDocBody') this.hereDocBody(node.parts ?? []);
    if (isLeaf(node)) leaves.push(node);
    if (node.type === 'HereDoc' && node.closing) leaves.push(node.closing);
    if (node.type === 'ArithmeticFor') leaves.push(headOf(node, this.source));
    const operator = operatorOf(node, this.source);
    if (operator) leaves.push(operator);
    forEachChild(node, (child) => {
      if (child.type === 'Script') this.nested(child, node);
      else this.visit(child, isLeaf(node) ? [] : leaves);
    });
  }

  /** A script inside a substitution: it must explain everything between the brackets. */
  private nested(script: ParsedScript, parent: SyntaxNode): void {
    if (script.source !== undefined) {
      this.found.push(
        ...doubts(script, script.source).map((doubt) => ({ ...doubt, ...spanOf(parent) })),
      );
      return;
    }
    const open = this.source.charAt(parent.pos) === '`' ? 1 : 2;
    this.script(script, parent.pos + open, parent.end - 1);
  }

  private word(word: Word): void {
    if (word.parts === undefined) {
      if (isLive(word.text)) this.doubt(word);
      return;
    }
    for (const part of word.parts) this.part(part);
    const joined = word.parts.some((part) => part.type === 'ProcessSubstitution');
    if (joined && !this.standsAlone(word)) {
      this.doubt(word, 'joins a process substitution to other text');
    }
  }

  private part(part: WordPart): void {
    if (part.type === 'Literal' && isLive(part.text)) this.doubt(part);
    if (part.type === 'Glob' && isLive(part.text)) this.doubt(part);
    if (part.type === 'BraceExpansion') {
      const unquoted = part.text.replace(/'[^']*'|"[^"$`\\]*"/g, '');
      if (isLive(unquoted)) this.doubt(part);
    }
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
      for (const inner of part.parts) {
        if (inner.type === 'Literal' && isLiveInQuotes(inner.text)) this.doubt(inner);
      }
    }
  }

  private hereDocBody(parts: readonly WordPart[]): void {
    for (const part of parts) {
      if (part.type === 'Literal' && isLiveInQuotes(part.text)) this.doubt(part);
    }
  }

  // The shell glues a process substitution to its neighbours, the parser does not.
  private standsAlone(word: Word): boolean {
    const before = this.source.charAt(word.pos - 1);
    const after = this.source.charAt(word.end);
    return word.parts?.length === 1 && /^[\s;&|(<>]?$/.test(before) && /^[\s;&|)<>]?$/.test(after);
  }

  private doubt(at: { pos: number; end: number }, why = UNEXPLAINED): void {
    this.found.push({ pos: at.pos, end: at.end, why });
  }
}

function spanOf(node: { pos: number; end: number }): { pos: number; end: number } {
  return { pos: node.pos, end: node.end };
}

/** Plain text that the shell would act on. */
function isLive(text: string): boolean {
  return /[<>()|&;`$"'\s]/.test(text.replace(/\\[\s\S]/g, ''));
}

function isLiveInQuotes(text: string): boolean {
  return /`|\$[({[]/.test(text.replace(/\\[\s\S]/g, ''));
}

function isLeaf(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Word':
    case 'Assignment':
    case 'HereDocBody':
    case 'HereDocDelimiter':
    case 'FileDescriptor':
    case 'FileDescriptorVariable':
    case 'ArithmeticCommand':
      return true;
    default:
      return false;
  }
}

/** The operator of a test inside `[[ ]]`, when the text shows exactly it in its place. */
function operatorOf(node: SyntaxNode, source: string): { pos: number; end: number } | undefined {
  if (node.type !== 'TestUnary' && node.type !== 'TestBinary') return undefined;
  const pos = node.type === 'TestUnary' ? node.pos : node.left.end;
  const end = node.type === 'TestUnary' ? node.operand.pos : node.right.pos;
  return source.slice(pos, end).trim() === node.operator ? { pos, end } : undefined;
}

/** `for (( … ))`: only the part before the body. */
function headOf(node: { pos: number; end: number }, source: string): { pos: number; end: number } {
  const close = source.slice(node.pos, node.end).indexOf('))');
  return { pos: node.pos, end: close < 0 ? node.pos : node.pos + close + 2 };
}

const KEYWORDS =
  /(?<![\w-])(if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc|-p|--)(?![\w-])/g;

// Stands for the characters of a leaf; the raw checks refuse it in commands.
const COVERED = '\uf8ff';

/** What remains of a stretch of source without its leaves, comments, keywords and operators. */
function uncovered(
  source: string,
  leaves: readonly { pos: number; end: number }[],
  start: number,
  end: number,
): string {
  const rest = withoutLeaves(source, leaves, start, end)
    .replace(/\\\n/g, ' ')
    .replace(/(^|[\s;&|()\uf8ff])#[^\n]*/g, '$1')
    .replace(/\uf8ff+/g, ' ')
    .replace(KEYWORDS, ' ')
    .replace(/\[\[|\]\]|[;&|(){}!<>\s]/g, '');
  return /^-*$/.test(rest) ? '' : rest;
}

// What lies inside leaves is not touched, so that nested scripts are each gone through only once.
function withoutLeaves(
  source: string,
  leaves: readonly { pos: number; end: number }[],
  start: number,
  end: number,
): string {
  let rest = '';
  let at = start;
  for (const leaf of [...leaves].sort((a, b) => a.pos - b.pos)) {
    if (leaf.end <= leaf.pos || leaf.end <= at || leaf.pos >= end) continue;
    rest += source.slice(at, Math.max(at, leaf.pos)) + COVERED;
    at = leaf.end;
  }
  return rest + source.slice(at, Math.max(at, end));
}
