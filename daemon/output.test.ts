import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecorder, type OutputRow, splitText } from './output.ts';

function recorder(kept?: { head: number; tail: number }) {
  const rows: OutputRow[] = [];
  const save = async (more: readonly OutputRow[]) => void rows.push(...more);
  const redact = (text: string) => text.replaceAll('hunter2', '[redacted]');
  const options = { redact, save, onError: () => undefined, ...(kept && { kept }) };
  return { rows, recorder: createRecorder(options) };
}

describe('the recorder', () => {
  it('keeps both streams in order, redacted and without NUL', async () => {
    const { rows, recorder: run } = recorder();
    run.push('stdout', 'pass hun');
    run.push('stdout', 'ter2\0\n');
    run.push('stderr', 'oops\n');
    expect(await run.close()).toEqual({ bytes: 21, cut: false });
    expect(rows).toEqual([
      { seq: 0, stream: 'stdout', text: 'pass [redacted]\n' },
      { seq: 1, stream: 'stderr', text: 'oops\n' },
    ]);
  });

  it('keeps head and tail and names the cut', async () => {
    const { rows, recorder: run } = recorder({ head: 40, tail: 20 });
    for (let line = 10; line < 30; line += 1) {
      run.push('stdout', `line ${line}\n`);
      run.push('stderr', '');
    }
    const { cut } = await run.close();
    const text = rows.map((row) => row.text).join('');
    expect(cut).toBe(true);
    expect(text).toMatch(/^line 10\n/);
    expect(text).toMatch(/bytes of output left out here …\]\n/);
    expect(text).toMatch(/line 29\n$/);
  });

  it('tries rows again that could not be stored', async () => {
    const rows: OutputRow[] = [];
    let failures = 1;
    const save = async (more: readonly OutputRow[]) => {
      if (failures-- > 0) throw new Error('down');
      rows.push(...more);
    };
    const run = createRecorder({ redact: (text) => text, save, onError: () => undefined });
    run.push('stdout', 'kept\n');
    await run.close();
    expect(rows).toEqual([{ seq: 0, stream: 'stdout', text: 'kept\n' }]);
  });

  it('writes no row above 32 KiB', async () => {
    const { rows, recorder: run } = recorder();
    run.push('stdout', `${'ä'.repeat(40_000)}\n`);
    await run.close();
    expect(rows.every(({ text }) => Buffer.byteLength(text) <= 32 * 1024)).toBe(true);
    expect(rows.map(({ text }) => text).join('')).toBe(`${'ä'.repeat(40_000)}\n`);
  });
});

it('splits any text into pieces that make it whole again', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 4, max: 20 }),
      (text, max) => {
        const pieces = splitText(text, max);
        expect(pieces.join('')).toBe(text);
        expect(pieces.every((piece) => Buffer.byteLength(piece) <= max)).toBe(true);
      },
    ),
  );
});
