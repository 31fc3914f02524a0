/** Key pairs and fingerprints. */
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import ssh2 from 'ssh2';

/** Writes PATH and PATH.pub, replacing what was there; returns the public line. */
export function makeKey(path: string, comment: string): string {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment });
  // Removed first: a mode is only given to a new file.
  rmSync(path, { force: true });
  writeFileSync(path, pair.private, { mode: 0o600 });
  writeFileSync(`${path}.pub`, `${pair.public}\n`);
  return pair.public;
}

/** `SHA256:…` as ssh shows it, from a public key line. */
export function fingerprintOf(publicLine: string): string {
  return fingerprintOfBlob(Buffer.from(publicLine.split(' ')[1] ?? '', 'base64'));
}

/** The same from the key as it travels in the protocol. */
export function fingerprintOfBlob(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
