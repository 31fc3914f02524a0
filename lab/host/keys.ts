/** Key pairs and fingerprints. */
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import ssh2 from 'ssh2';

/** Writes PATH and PATH.pub, replacing what was there; returns the public line. */
export function makeKey(path: string, comment: string): string {
  const pair = soundPair(() => ssh2.utils.generateKeyPairSync('ed25519', { comment }));
  // Removed first: a mode is only given to a new file.
  rmSync(path, { force: true });
  writeFileSync(path, pair.private, { mode: 0o600 });
  writeFileSync(`${path}.pub`, `${pair.public}\n`);
  return pair.public;
}

interface KeyText {
  readonly private: string;
  readonly public: string;
}

/**
 * About one ed25519 pair in three hundred that ssh2 1.17 makes cannot be read by anybody: each is
 * tried by signing with it before it is used.
 */
export function soundPair(generate: () => KeyText): KeyText {
  for (;;) {
    const pair = generate();
    if (signsFor(pair)) return pair;
  }
}

function signsFor(pair: KeyText): boolean {
  const [own, other] = [ssh2.utils.parseKey(pair.private), ssh2.utils.parseKey(pair.public)];
  if (own instanceof Error || other instanceof Error) return false;
  const text = Buffer.from('sound');
  const signature = own.sign(text);
  return !(signature instanceof Error) && other.verify(text, signature) === true;
}

/** `SHA256:…` as ssh shows it, from a public key line. */
export function fingerprintOf(publicLine: string): string {
  return fingerprintOfBlob(Buffer.from(publicLine.split(' ')[1] ?? '', 'base64'));
}

/** The same from the key as it travels in the protocol. */
export function fingerprintOfBlob(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
