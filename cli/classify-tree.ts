import type { GatePart, GateResult } from '../shared/domain/gate-result.ts';

/** A stretch of the command with all that was said about it, and the stretches inside it. */
interface Branch {
  readonly text: string;
  readonly span: readonly [number, number];
  readonly parts: GatePart[];
  readonly inside: Branch[];
}

/** How the tree is drawn. `confirm`: verb and object of the sentence; `touches` as slugs. */
export interface TreeStyle {
  readonly columns: number;
  readonly confirm: string | undefined;
  readonly touches: readonly string[] | 'unknown';
}

const NARROWEST = 24;
const LABEL = 9;

/**
 * A verdict for people: the class, then every stretch of the command in its order with the reasons
 * beside it, then what follows from it. No line is longer than the terminal is wide, but for a
 * single word that is.
 */
export function classifyTree(result: GateResult, style: TreeStyle): readonly string[] {
  const columns = Math.max(NARROWEST, style.columns);
  const touches = style.touches === 'unknown' ? 'unknown' : style.touches.join(', ');
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['flags', result.flags.join(', ')],
    ['touches', touches],
    ['type', style.confirm && `I confirm ${style.confirm}`],
    ['hint', result.hint],
  ];
  return [
    result.risk,
    ...branches(grow(result.parts), '', columns),
    ...facts.flatMap(([label, text]) => (text ? fact(label, text, columns) : [])),
  ];
}

function fact(label: string, text: string, columns: number): readonly string[] {
  const rows = wrap(text, columns - LABEL);
  return rows.map((row, i) => `${(i === 0 ? label : '').padEnd(LABEL)}${row}`);
}

/** Stretches in the order of the command; one inside another hangs below it. */
function grow(parts: readonly GatePart[]): readonly Branch[] {
  const found = new Map<string, Branch>();
  for (const part of parts) {
    const key = JSON.stringify([part.span, part.text]);
    const branch = found.get(key) ?? { text: part.text, span: part.span, parts: [], inside: [] };
    branch.parts.push(part);
    found.set(key, branch);
  }
  const ordered = [...found.values()].sort(
    (a, b) => a.span[0] - b.span[0] || b.span[1] - a.span[1] || b.text.length - a.text.length,
  );
  const roots: Branch[] = [];
  const open: Branch[] = [];
  for (const branch of ordered) {
    while (open.length > 0 && !holds(open.at(-1), branch)) open.pop();
    (open.at(-1)?.inside ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}

/** Texts inside a script share the script's span: the longer text holds the shorter. */
function holds(outer: Branch | undefined, inner: Branch): boolean {
  if (outer === undefined || inner.span[1] > outer.span[1]) return false;
  const same = outer.span[0] === inner.span[0] && outer.span[1] === inner.span[1];
  return !same || outer.text.includes(inner.text);
}

function branches(list: readonly Branch[], indent: string, columns: number): readonly string[] {
  return list.flatMap((branch, i) => {
    const last = i === list.length - 1;
    const below = `${indent}${last ? '   ' : '│  '}`;
    const rest = branch.inside.length > 0 ? `${below}│  ` : `${below}   `;
    return [
      ...hang(branch.text, `${indent}${last ? '└─ ' : '├─ '}`, below, columns),
      ...branch.parts.flatMap((part) => reasons(part, rest, columns)),
      ...branches(branch.inside, below, columns),
    ];
  });
}

function reasons(part: GatePart, indent: string, columns: number): readonly string[] {
  const why = hang(`${part.class}: ${part.why} (${part.rule})`, indent, `${indent}  `, columns);
  if (part.safer === undefined) return why;
  return [...why, ...hang(`safer: ${part.safer}`, indent, `${indent}  `, columns)];
}

function hang(text: string, first: string, further: string, columns: number): readonly string[] {
  const rows = wrap(text, columns - further.length);
  return rows.map((row, i) => `${i === 0 ? first : further}${row}`);
}

/** Breaks between words; a word that is too long stands alone. */
function wrap(text: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.trim().split(/\s+/)) {
    if (row !== '' && row.length + 1 + word.length > width) {
      rows.push(row);
      row = word;
    } else row = row === '' ? word : `${row} ${word}`;
  }
  return [...rows, row];
}
