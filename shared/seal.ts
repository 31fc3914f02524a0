import { createHmac, timingSafeEqual } from 'node:crypto';

/** What is sealed; each kind has a key of its own, so that no seal serves for another kind. */
export const SEALED_KINDS = [
  'execution',
  'approval',
  'decision',
  'window',
  'target',
  'gate_setting',
  'rule',
  'event',
  'room',
  'unlocking',
  'token',
  'clock',
] as const;
export type SealedKind = (typeof SEALED_KINDS)[number];

/** A value as a seal covers it: plain, of our own making, its fields in any order. */
export type Sealable =
  | string
  | number
  | boolean
  | null
  | Date
  | readonly Sealable[]
  | { readonly [field: string]: Sealable };

export interface SealKey {
  /** Names the key in every seal, so that keys can be changed one by one. */
  readonly id: string;
  readonly secret: Buffer;
}

export interface Sealer {
  /** `<key id>.<hmac>`, under the newest key. */
  seal(kind: SealedKind, content: Sealable): string;
  /** Whether one of our keys made exactly this seal for exactly this content. */
  fits(kind: SealedKind, content: Sealable, seal: string | null): boolean;
}

/** The content has no one text: a fraction, a number out of range. */
export class NotSealable extends Error {
  override readonly name = 'NotSealable';
}

/** The first key seals, all of them verify. Keys stay inside: nothing of this can be logged. */
export function createSealer([newest, ...older]: readonly [SealKey, ...SealKey[]]): Sealer {
  const keys = new Map([newest, ...older].map(({ id, secret }) => [id, secret]));
  return {
    seal: (kind, content) => `${newest.id}.${mac(newest.secret, kind, content)}`,
    fits(kind, content, seal) {
      const [id, given, ...more] = seal?.split('.') ?? [];
      const secret = keys.get(id ?? '');
      if (secret === undefined || given === undefined || more.length > 0) return false;
      const wanted = macOrNothing(secret, kind, content);
      const got = Buffer.from(given);
      return wanted.length === got.length && timingSafeEqual(wanted, got);
    },
  };
}

/** What cannot be sealed never was. */
function macOrNothing(secret: Buffer, kind: SealedKind, content: Sealable): Buffer {
  try {
    return Buffer.from(mac(secret, kind, content));
  } catch (error) {
    if (error instanceof NotSealable || error instanceof RangeError) return Buffer.alloc(0);
    throw error;
  }
}

function mac(secret: Buffer, kind: SealedKind, content: Sealable): string {
  const own = createHmac('sha256', secret).update(`oikos seal v1: ${kind}`).digest();
  return createHmac('sha256', own).update(canonicalText(content)).digest('base64url');
}

/** The one text of a value: JSON with its fields sorted, moments in UTC with milliseconds. */
export function canonicalText(value: Sealable): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') {
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new NotSealable(`${value} has no one text`);
    return `${value}`;
  }
  // Without quotes: no text reads like a moment.
  if (value instanceof Date) return `@${value.toISOString()}`;
  // Rows are written by others too: what they hold is not always what its type says.
  if (typeof value !== 'object') throw new NotSealable(`${typeof value} has no one text`);
  if (isList(value)) return `[${value.map(canonicalText).join(',')}]`;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`).join(',')}}`;
}

function isList(value: object): value is readonly Sealable[] {
  return Array.isArray(value);
}
