/** Key pairs and fingerprints, made by OpenSSH's own tool. */
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { runCommand } from './command.ts';
import { LabHostStartError } from './errors.ts';

/** Writes PATH and PATH.pub, replacing what was there; returns the public line. */
export async function makeKey(path: string, comment: string): Promise<string> {
  await rm(path, { force: true });
  await rm(`${path}.pub`, { force: true });
  const made = await runCommand('ssh-keygen', [
    '-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path,
  ]);
  if (made.code !== 0) throw new LabHostStartError('no key could be made', made.stderr.trim());
  return (await readFile(`${path}.pub`, 'utf8')).trim();
}

/** `SHA256:…` as ssh shows it, from a public key line. */
export function fingerprintOf(publicLine: string): string {
  const blob = Buffer.from(publicLine.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
