import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from './replace-file.ts';
import type { SealKey } from './seal.ts';

/** The key file is missing or not to be trusted; the message says what to do. */
export class SealKeyError extends Error {
  override readonly name = 'SealKeyError';
}

const LINE = /^([a-z0-9]{1,16}) ([0-9a-f]{64})$/;

/**
 * The keys of the file, newest first: one `<id> <64 hex digits>` a line, # begins a comment.
 * @throws SealKeyError, without a word of what the file holds.
 */
export function readSealKeys(path: string): readonly [SealKey, ...SealKey[]] {
  const lines = readLines(path)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line, at): SealKey => {
    const [, id, hex] = LINE.exec(line) ?? [];
    if (id === undefined || hex === undefined) {
      throw new SealKeyError(`${path}: key ${at + 1} is not "<id> <64 hex digits>"`);
    }
    return { id, secret: Buffer.from(hex, 'hex') };
  });
  const [newest, ...older] = keys;
  if (!newest) throw new SealKeyError(`${path} holds no key; make one: oikos seal init`);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new SealKeyError(`${path} names two keys alike`);
  }
  return [newest, ...older];
}

/** The secrets as text, for the list of what no log may show. */
export function sealSecrets(keys: readonly SealKey[]): string[] {
  return keys.map(({ secret }) => secret.toString('hex'));
}

/** Makes the file with a first key, readable by its owner alone; false when there is one already. */
export function makeSealKeys(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, `${newLine('k1')}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Puts a fresh key before the others, which go on verifying what they sealed. Answers its name.
 * @throws SealKeyError
 */
export function addSealKey(path: string): string {
  const keys = readSealKeys(path);
  const id = `k${Math.max(0, ...keys.map((key) => Number(/^k(\d+)$/.exec(key.id)?.[1] ?? 0))) + 1}`;
  replaceFile(path, `${newLine(id)}\n${readFileSync(path, 'utf8')}`);
  return id;
}

function newLine(id: string): string {
  return `${id} ${randomBytes(32).toString('hex')}`;
}

function readLines(path: string): string[] {
  try {
    if ((statSync(path).mode & 0o077) !== 0) {
      throw new SealKeyError(`${path} may be read by others: chmod 600 ${path}`);
    }
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (error instanceof SealKeyError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new SealKeyError(
      `SEAL_KEY_FILE cannot be read (${why}); make it once, for bot and daemon: oikos seal init`,
    );
  }
}

export type SealKeysRead =
  | { readonly ok: true; readonly keys: readonly [SealKey, ...SealKey[]] }
  /** Why the file cannot be used, in words. */
  | { readonly ok: false; readonly problem: string };

/** The same for a process that starts, which says what stands in its way. */
export function sealKeysOf(path: string): SealKeysRead {
  try {
    return { ok: true, keys: readSealKeys(path) };
  } catch (error) {
    if (error instanceof SealKeyError) return { ok: false, problem: error.message };
    throw error;
  }
}
