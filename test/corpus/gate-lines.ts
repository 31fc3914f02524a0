import { readFileSync } from 'node:fs';

/** One line of a table of the gate: its columns, with what a text file cannot hold put in. */
export type Row = readonly string[];

/** The lines of `test/corpus/gate/NAME.tsv` without its header. */
export function rowsOf(name: string): readonly Row[] {
  const file = readFileSync(new URL(`./gate/${name}.tsv`, import.meta.url), 'utf8');
  const lines = file.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
  return lines.map((line) => line.split('\t').map(decode));
}

/** Corpus lines spell characters that a text file cannot hold, and long repetitions. */
function decode(text: string): string {
  return text
    .replace(/⟦U\+([0-9A-F]+)⟧/g, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .replace(/⟦REPEAT:(\d+):([^⟧]*)⟧/g, (_, times: string, unit: string) =>
      unit.repeat(Number(times)),
    );
}
