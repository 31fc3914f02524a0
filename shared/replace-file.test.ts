import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-replace-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('replaceFile', () => {
  it('makes a file that its owner alone can read, whatever it was before', () => {
    const path = join(dir, '.env');
    writeFileSync(path, 'old', { mode: 0o644 });
    replaceFile(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('follows a link instead of replacing it', () => {
    writeFileSync(join(dir, 'real'), 'old');
    symlinkSync(join(dir, 'real'), join(dir, 'link'));
    replaceFile(join(dir, 'link'), 'new');
    expect(readFileSync(join(dir, 'real'), 'utf8')).toBe('new');
    expect(readdirSync(dir)).toEqual(['link', 'real']);
  });

  it('leaves nothing behind when it fails', () => {
    expect(() => replaceFile(join(dir, 'no', 'file'), 'x')).toThrow('ENOENT');
    expect(() => replaceFile(dir, 'x')).toThrow();
    expect(readdirSync(dir)).toEqual([]);
    expect(readdirSync(join(dir, '..')).filter((name) => name.includes('.oikos-replace-'))).toEqual(
      [],
    );
  });
});
