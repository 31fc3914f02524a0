import { createHash } from 'node:crypto';

/** `prevHash` of the first place. */
export const FIRST_HASH = '0'.repeat(64);

/** What the chain covers of an event; `data` is the jsonb as Postgres writes it. */
export interface LedgerEvent {
  readonly seq: number;
  readonly at: Date;
  readonly kind: string;
  readonly actor: string;
  readonly taskId: string | null;
  readonly executionId: string | null;
  readonly approvalId: string | null;
  readonly eventId: string | null;
  readonly data: string;
}

export interface ChainLink {
  readonly place: number;
  readonly eventSeq: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** The end of the chain, as far as somebody has seen it. */
export interface LedgerHead {
  readonly place: number;
  readonly hash: string;
}

export const EMPTY_LEDGER: LedgerHead = { place: 0, hash: FIRST_HASH };

/**
 * sha256, hex, over the place, the hash before and every column of the event, each as
 * `<bytes>:<text>,` or `-,` for null. The database hashes the same text when it commits an event
 * (`oikos_ledger_hash`); this is the second, independent reading of it.
 */
export function ledgerHash(place: number, prevHash: string, event: LedgerEvent): string {
  const fields = [
    `${place}`,
    prevHash,
    `${event.seq}`,
    `${event.at.getTime()}`,
    event.kind,
    event.actor,
    event.taskId,
    event.executionId,
    event.approvalId,
    event.eventId,
    event.data,
  ];
  return createHash('sha256').update(fields.map(netstring).join('')).digest('hex');
}

/**
 * What is wrong with a link that should follow `before`, in words; undefined when nothing is.
 * `event` is undefined when the ledger has none of the link's number.
 */
export function linkTrouble(
  before: LedgerHead,
  link: ChainLink,
  event: LedgerEvent | undefined,
): string | undefined {
  if (link.place !== before.place + 1) {
    return link.place === before.place + 2
      ? `place ${before.place + 1} is missing`
      : `places ${before.place + 1} to ${link.place - 1} are missing`;
  }
  if (link.prevHash !== before.hash) return 'it does not follow the event before it';
  if (!event) return `event ${link.eventSeq} was deleted`;
  const changed = ledgerHash(link.place, link.prevHash, event) !== link.hash;
  return changed ? `event ${link.eventSeq} is not what was written` : undefined;
}

function netstring(value: string | null): string {
  return value === null ? '-,' : `${Buffer.byteLength(value, 'utf8')}:${value},`;
}
