import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSealer } from '../../shared/seal.ts';

/** The line of the key file that every test's processes and rows share. */
export const TEST_KEY_LINE = `t1 ${'5e'.repeat(32)}`;

/** What the processes under test would seal with. */
export const testSeals = createSealer([{ id: 't1', secret: Buffer.from('5e'.repeat(32), 'hex') }]);

/** A key file for a command of ours that a test starts. */
export function testKeyFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'oikos-seal-')), 'key');
  writeFileSync(path, `${TEST_KEY_LINE}\n`, { mode: 0o600 });
  return path;
}
