import { createHmac } from 'node:crypto';
import { fingerprint } from './hosts.ts';

/** The host keys that we can check, the best first: a host shows the best that it has. */
const KEY_TYPES = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
] as const;

export type KnownKey =
  | { readonly kind: 'known'; readonly fingerprint: string }
  /** No line is about this host; or only lines with keys that we do not accept. */
  | { readonly kind: 'unknown' }
  /** Every key of the host is marked @revoked. */
  | { readonly kind: 'revoked' };

interface Line {
  readonly revoked: boolean;
  readonly type: string;
  readonly fingerprint: string;
}

/**
 * The key that a known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT) pins for a host: plain and
 * hashed names, patterns and negations, `[host]:port`. Certificate authorities are left out.
 */
export function knownKey(text: string, address: string, port: number): KnownKey {
  const name = (port === 22 ? address : `[${address}]:${port}`).toLowerCase();
  const lines = text.split('\n').flatMap((line) => readLine(line, name) ?? []);
  const revoked = new Set(lines.filter((line) => line.revoked).map((line) => line.fingerprint));
  const usable = lines.filter((line) => !revoked.has(line.fingerprint));
  const best = KEY_TYPES.flatMap((type) => usable.find((line) => line.type === type) ?? [])[0];
  if (best) return { kind: 'known', fingerprint: best.fingerprint };
  return {
    kind: lines.some((line) => !line.revoked) && usable.length === 0 ? 'revoked' : 'unknown',
  };
}

/** Undefined for comments, for other hosts, and for what is no key. */
function readLine(text: string, name: string): Line | undefined {
  const words = text.trim().split(/[ \t]+/);
  if (words[0] === undefined || words[0] === '' || words[0].startsWith('#')) return undefined;
  const marker = words[0].startsWith('@') ? words.shift() : undefined;
  const [names = '', type = '', blob = ''] = words;
  if (marker !== undefined && marker !== '@revoked') return undefined;
  if (!isAbout(names, name)) return undefined;
  const key = Buffer.from(blob, 'base64');
  // The blob names its own type (RFC 4253, 6.6): a line that says otherwise is broken.
  if (!key.subarray(4).toString('latin1').startsWith(type) || type === '') return undefined;
  return { revoked: marker === '@revoked', type, fingerprint: fingerprint(key) };
}

function isAbout(names: string, name: string): boolean {
  if (names.startsWith('|')) return isHashOf(names, name);
  const patterns = names.toLowerCase().split(',');
  if (patterns.some((one) => one.startsWith('!') && isMatch(one.slice(1), name))) return false;
  return patterns.some((one) => !one.startsWith('!') && isMatch(one, name));
}

/** `|1|salt|hash`: HMAC-SHA-1 of the name under the salt, as ssh-keygen -H writes it. */
function isHashOf(hashed: string, name: string): boolean {
  const [, version, salt = '', hash = ''] = hashed.split('|');
  if (version !== '1') return false;
  const mac = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest();
  return mac.equals(Buffer.from(hash, 'base64'));
}

/** `*` is any text, `?` one character, everything else itself. */
function isMatch(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(name);
}
