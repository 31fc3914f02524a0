import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { LedgerHead } from './ledger.ts';
import { replaceFile } from './replace-file.ts';

/** The mark is there and cannot be used: to go on without it would be to forget what it is for. */
export class MarkUnreadable extends Error {
  override readonly name = 'MarkUnreadable';
}

const schema = z.object({
  place: z.number().int().nonnegative(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** sha256 of what was found wrong in the ledger and settled: it is told once. */
  flaws: z.string().optional(),
});

export interface LedgerMark extends LedgerHead {
  readonly flaws?: string | undefined;
}

/** The high-water mark lies beside the seal key: outside the database, out of its backups. */
export function markPath(sealKeyFile: string): string {
  return join(dirname(sealKeyFile), 'ledger-mark.json');
}

/**
 * How far the ledger was when a process of this place last looked; undefined before the first time.
 * @throws MarkUnreadable
 */
export function readMark(path: string): LedgerMark | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unreadable(path, error instanceof Error ? error.message : String(error));
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw unreadable(path, 'it holds no mark');
  }
}

/** Replaces the mark at once, readable by its owner alone. */
export function writeMark(path: string, { place, hash, flaws }: LedgerMark): void {
  replaceFile(path, `${JSON.stringify({ place, hash, flaws })}\n`);
}

function unreadable(path: string, why: string): MarkUnreadable {
  return new MarkUnreadable(
    `${path} cannot be used (${why}); if the database is the right one, remove that file`,
  );
}
