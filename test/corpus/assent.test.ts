import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge } from '../../cli/assent.ts';
import { assentCaseSchema } from '../../cli/assent-states.ts';

interface Row {
  readonly id: string;
  readonly message: string;
  readonly label: string;
  readonly scope: string;
  readonly tolerated: string;
  readonly got: ReturnType<typeof judge>;
}

/** Ours adds what the first one leaves out: other people, other tasks and the still-open line. */
const rows = ['assent.tsv', 'assent-own.tsv'].flatMap(readRows);

describe('the assent corpus', () => {
  it('has no row where a wrong yes would run something', () => {
    expect(rows.filter(isUnsafe).map(show)).toEqual([]);
  });

  it('reads at least 98 % of the rows as labelled or tolerated', () => {
    const wrong = rows.filter((row) => !isExact(row) && !isTolerated(row));
    expect(wrong.length / rows.length, wrong.map(show).join('\n')).toBeLessThan(0.02);
  });

  it('knows most phrases exactly, not only by tolerance', () => {
    expect(rows.filter(isExact).length / rows.length).toBeGreaterThan(0.95);
  });
});

function isExact({ label, scope, got }: Row): boolean {
  return got.label === label && (label === 'neither' || got.scope === scope);
}

function isTolerated({ tolerated, scope, got }: Row): boolean {
  const [label, only = scope] = tolerated.split(':');
  if (got.label !== label) return false;
  return label === 'neither' || only === '' || got.scope === only;
}

/** A yes that the label does not give, or to more than the label covers. */
function isUnsafe(row: Row): boolean {
  const { got, label, scope } = row;
  if (got.label !== 'assent' && got.label !== 'typed_confirm') return false;
  if (isTolerated(row)) return false;
  const allowed = scope.split(';')[0]?.split(',') ?? [];
  const approved = got.scope.split(';')[0]?.split(',') ?? [];
  return got.label !== label || approved.some((card) => !allowed.includes(card));
}

function show({ id, message, label, scope, got }: Row): string {
  return `${id} ${JSON.stringify(message)}: ${label} ${scope}, but ${got.label} ${got.scope} (${got.reason})`;
}

function readRows(file: string): Row[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const [head = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const columns = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
    const message = decodeEscapes(cell('message'));
    const got = judge(
      assentCaseSchema.parse({
        state: cell('state'),
        kind: cell('kind'),
        from: cell('from'),
        when: cell('when'),
        message,
      }),
    );
    const [id, label, scope, tolerated] = [
      cell('id'),
      cell('label'),
      cell('scope'),
      cell('tolerated'),
    ];
    return { id, message, label, scope, tolerated, got };
  });
}

function decodeEscapes(text: string): string {
  return text.replace(/\\(n|t|\\|u[0-9a-f]{4})/gi, (_, code: string) => {
    if (code === 'n') return '\n';
    if (code === 't') return '\t';
    return code === '\\' ? '\\' : String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });
}
