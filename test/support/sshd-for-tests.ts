import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type PlainSshd, startPlainSshd } from './plain-sshd.ts';

export interface SshdForTests {
  readonly sshd: PlainSshd;
  /** A test's own folder; only the user that the daemon logs in as may write there. */
  readonly files: string;
}

/** An sshd for all tests of a file, and a folder for the scripts of each; `name` is their folder's. */
export function sshdForTests(name: string): SshdForTests {
  let dir: string;
  let sshd: PlainSshd;
  let files: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), `oikos-${name}-`));
    sshd = await startPlainSshd(dir);
  });
  afterAll(() => {
    sshd.cut();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    files = mkdtempSync(join(dir, 'files-'));
    chmodSync(files, 0o755);
  });
  return {
    get sshd() {
      return sshd;
    },
    get files() {
      return files;
    },
  };
}
