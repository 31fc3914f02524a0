import { and, asc, desc, eq, getTableColumns, gt, inArray, isNull, lte, sql } from 'drizzle-orm';
import { LASTING_KINDS } from '../domain/audit.ts';
import {
  type ChainLink,
  EMPTY_LEDGER,
  type LedgerEvent,
  type LedgerHead,
  linkTrouble,
} from '../ledger.ts';
import type { Db, Tx } from './client.ts';
import { auditChain, auditEvents } from './schema.ts';

export type LedgerWalk =
  | { readonly kind: 'whole'; readonly events: number; readonly head: LedgerHead }
  | { readonly kind: 'broken'; readonly place: number | null; readonly trouble: string };

const PAGE = 5_000;

/** The last place of the chain; place 0 when nothing was written yet. */
export async function ledgerHead(db: Db | Tx): Promise<LedgerHead> {
  const [last] = await db.select().from(auditChain).orderBy(desc(auditChain.place)).limit(1);
  return last ? { place: last.place, hash: last.hash } : EMPTY_LEDGER;
}

/** The hash at a place; undefined when the chain does not reach it. */
export async function ledgerHashAt(db: Db | Tx, place: number): Promise<string | undefined> {
  if (place === 0) return EMPTY_LEDGER.hash;
  const [link] = await db.select().from(auditChain).where(eq(auditChain.place, place));
  return link?.hash;
}

/** Walks the whole ledger in its order and stops at the first row that is not as it was written. */
export function walkLedger(db: Db, pageSize = PAGE): Promise<LedgerWalk> {
  // One view of everything: what is written meanwhile is a matter of the next walk.
  return db.transaction(
    async (tx) => {
      let head = EMPTY_LEDGER;
      for (;;) {
        const page = await linksAfter(tx, head.place, pageSize);
        for (const { link, event } of page) {
          const trouble = linkTrouble(head, link, event);
          if (trouble) return { kind: 'broken', place: link.place, trouble };
          head = link;
        }
        if (page.length < pageSize) break;
      }
      const stray = await unchainedEvent(tx);
      if (stray !== undefined) {
        return { kind: 'broken', place: null, trouble: `event ${stray} is not in the chain` };
      }
      return { kind: 'whole', events: head.place, head: { place: head.place, hash: head.hash } };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

export interface LedgerRead {
  readonly head: LedgerHead;
  /** What is not as it was written, in words; the reading went on behind it. */
  readonly flaws: readonly string[];
}

/** Reads on behind `from` to the end, event by event as they were committed. */
export async function readOn(
  db: Db | Tx,
  from: LedgerHead,
  hear: (event: LedgerEvent) => void,
): Promise<LedgerRead> {
  const flaws: string[] = [];
  let head = from;
  for (;;) {
    const page = await linksAfter(db, head.place, PAGE);
    for (const { link, event } of page) {
      const trouble = linkTrouble(head, link, event);
      if (trouble) flaws.push(`place ${link.place}: ${trouble}`);
      if (event) hear(event);
      head = { place: link.place, hash: link.hash };
    }
    if (page.length < PAGE) return { head, flaws };
  }
}

/** One number for all lasting events up to a place: it changes when one of them is changed or gone. */
export async function lastingDigest(db: Db | Tx, { place }: LedgerHead): Promise<string> {
  const [row] = await db
    .select({
      digest: sql<string>`count(*) || '/' || coalesce(sum(hashtextextended(${auditEvents}::text, 0)), 0)`,
    })
    .from(auditEvents)
    .innerJoin(auditChain, eq(auditChain.eventSeq, auditEvents.seq))
    .where(and(inArray(auditEvents.kind, [...LASTING_KINDS]), lte(auditChain.place, place)));
  return row?.digest ?? '';
}

interface Linked {
  readonly link: ChainLink;
  readonly event: LedgerEvent | undefined;
}

async function linksAfter(tx: Db | Tx, place: number, limit: number): Promise<Linked[]> {
  const columns = { ...getTableColumns(auditEvents), data: sql<string>`${auditEvents.data}::text` };
  const rows = await tx
    .select({ link: auditChain, event: columns })
    .from(auditChain)
    .leftJoin(auditEvents, eq(auditEvents.seq, auditChain.eventSeq))
    .where(gt(auditChain.place, place))
    .orderBy(asc(auditChain.place))
    .limit(limit);
  return rows.map(({ link, event }) => ({ link, event: event ?? undefined }));
}

async function unchainedEvent(tx: Tx): Promise<number | undefined> {
  const [stray] = await tx
    .select({ seq: auditEvents.seq })
    .from(auditEvents)
    .leftJoin(auditChain, eq(auditChain.eventSeq, auditEvents.seq))
    .where(isNull(auditChain.place))
    .orderBy(asc(auditEvents.seq))
    .limit(1);
  return stray?.seq;
}
