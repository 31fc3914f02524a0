import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from './seal.ts';
import { addSealKey, makeSealKeys, readSealKeys, SealKeyError } from './seal-keys.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'seal-'));
  path = join(dir, 'seal', 'key');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const HEX = 'ab'.repeat(32);
const file = (text: string, mode = 0o600) => {
  const at = join(dir, 'key');
  writeFileSync(at, text);
  chmodSync(at, mode);
  return at;
};

describe('the key file', () => {
  it('is made once, for its owner alone', () => {
    expect(makeSealKeys(path)).toBe(true);
    const text = readFileSync(path, 'utf8');
    expect(makeSealKeys(path)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'seal')).mode & 0o777).toBe(0o700);
  });

  it('takes a new key in front, and the old one goes on verifying', () => {
    makeSealKeys(path);
    const before = createSealer(readSealKeys(path)).seal('rule', 'x');
    expect(addSealKey(path)).toBe('k2');
    expect(addSealKey(path)).toBe('k3');
    const keys = readSealKeys(path);
    expect(keys.map(({ id }) => id)).toEqual(['k3', 'k2', 'k1']);
    expect(createSealer(keys).fits('rule', 'x', before)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('may hold comments and empty lines', () => {
    expect(readSealKeys(file(`# mine\n\nk1 ${HEX}\n`))).toEqual([
      { id: 'k1', secret: Buffer.from(HEX, 'hex') },
    ]);
  });

  it.each([
    ['missing', () => join(dir, 'nowhere'), /cannot be read .*oikos seal init/],
    ['readable by others', () => file(`k1 ${HEX}\n`, 0o644), /chmod 600/],
    ['empty', () => file('# nothing\n'), /holds no key/],
    ['of another form', () => file(`${HEX}\n`), /key 1 is not "<id> <64 hex digits>"/],
    ['with a short key', () => file('k1 abcd\n'), /key 1 is not/],
    ['with two keys of one name', () => file(`k1 ${HEX}\nk1 ${HEX}\n`), /two keys alike/],
  ])('cannot be used when it is %s, and says why without the key', (_how, make, reason) => {
    const at = make();
    let said = '';
    try {
      readSealKeys(at);
    } catch (error) {
      expect(error).toBeInstanceOf(SealKeyError);
      said = String(error);
    }
    expect(said).toMatch(reason);
    expect(said).not.toContain(HEX);
  });
});
