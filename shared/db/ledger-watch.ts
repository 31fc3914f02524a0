import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { isLasting } from '../domain/audit.ts';
import { EMPTY_LEDGER, type LedgerHead } from '../ledger.ts';
import { type LedgerMark, readMark, writeMark } from '../ledger-mark.ts';
import { createLedgerMemory, type LedgerMemory } from '../ledger-memory.ts';
import { settleRestored } from '../restored.ts';
import type { Db } from './client.ts';
import { readNow } from './clock.ts';
import { lastingDigest, ledgerHashAt, ledgerHead, readOn } from './ledger.ts';

/** The database was replaced by another one under our feet: only a new start may go on with it. */
export class DatabaseReplaced extends Error {
  override readonly name = 'DatabaseReplaced';

  constructor() {
    super(
      'the ledger is not the one that was there before: the database was restored, replaced or altered',
    );
  }
}

export interface LedgerWatch {
  /** This start found an older or a foreign database, and ended what was open in it. */
  readonly restored: boolean;
  /**
   * Moves the mark up to the present end of the ledger.
   * @throws DatabaseReplaced, or what the file system says.
   */
  note(): Promise<void>;
  /** What the ledger has told since before this start, also what it tells no longer. */
  readonly memory: LedgerMemory;
  close(): Promise<void>;
}

export interface LedgerWatchOptions {
  readonly db: Db;
  /** The file of the high-water mark. */
  readonly path: string;
  readonly actor: string;
  readonly onReplaced: (error: DatabaseReplaced) => void;
  readonly onError: (error: unknown) => void;
}

const EVERY_MS = 2_000;
/** Longer than anything that ended could still be started again: cards live a day, starts an hour. */
const REMEMBERED_MS = 3 * 24 * 60 * 60_000;

/**
 * Compares the database with the high-water mark, once at the start and then all the time; the start
 * reads the whole ledger, later looks what is new. The first start of a place has no mark and takes
 * the database as it is.
 * @throws MarkUnreadable
 */
export async function watchLedger(options: LedgerWatchOptions): Promise<LedgerWatch> {
  const { db, path } = options;
  const memory = createLedgerMemory(new Date((await readNow(db)).getTime() - REMEMBERED_MS));
  const first = await meet(options, memory);
  let seen: LedgerHead = first.mark;
  let lasting = await lastingDigest(db, seen);
  let noting: Promise<void> = Promise.resolve();

  const note = async () => {
    if (!(await fits(db, seen))) throw new DatabaseReplaced();
    if ((await lastingDigest(db, seen)) !== lasting) throw new DatabaseReplaced();
    let lastingHeard = false;
    const { head, flaws } = await readOn(db, seen, (event) => {
      memory.hear(event);
      lastingHeard ||= isLasting(event.kind);
    });
    if (flaws.length > 0) throw new DatabaseReplaced();
    if (head.place === seen.place) return;
    await withMark(db, async () => {
      // The other process may have been here since: what it settled and how far it saw stays.
      const there = readMark(path) ?? first.mark;
      if (head.place > there.place) writeMark(path, { ...head, flaws: there.flaws });
    });
    seen = head;
    if (lastingHeard) lasting = await lastingDigest(db, seen);
  };
  // One after the other: the mark never goes back.
  const inTurn = () => {
    noting = noting.catch(() => undefined).then(note);
    return noting;
  };
  const timer = setInterval(() => {
    inTurn().catch((error: unknown) => {
      if (error instanceof DatabaseReplaced) options.onReplaced(error);
      else options.onError(error);
    });
  }, EVERY_MS);
  return {
    restored: first.restored,
    memory,
    note: inTurn,
    async close() {
      clearInterval(timer);
      await inTurn().catch(options.onError);
    },
  };
}

/** Whoever reads the mark to write it holds this: bot and daemon share it. */
function withMark<T>(db: Db, act: () => Promise<T>): Promise<T> {
  return db.transaction(async (lock) => {
    await lock.execute(sql`select pg_advisory_xact_lock(hashtextextended('oikos-mark', 0))`);
    return act();
  });
}

interface Met {
  readonly mark: LedgerMark;
  readonly restored: boolean;
}

/** Bot and daemon may start at once: one of them settles what was restored, the other finds it done. */
function meet({ db, path, actor }: LedgerWatchOptions, memory: LedgerMemory): Promise<Met> {
  return withMark(db, async () => {
    const expected = readMark(path);
    const read = await readOn(db, EMPTY_LEDGER, memory.hear);
    const flaws =
      read.flaws.length > 0
        ? createHash('sha256').update(read.flaws.join('\n')).digest('hex')
        : undefined;
    const older = expected !== undefined && !(await fits(db, expected));
    const altered = flaws !== undefined && flaws !== expected?.flaws;
    if (older || altered) {
      await db.transaction(async (tx) => {
        const now = await readNow(tx);
        const found = await ledgerHead(tx);
        const [flaw] = altered ? read.flaws : [];
        await settleRestored(tx, { now, actor, expected: expected ?? EMPTY_LEDGER, found, flaw });
      });
    }
    const { head: seen } = await readOn(db, read.head, memory.hear);
    const mark = { ...seen, flaws };
    writeMark(path, mark);
    return { mark, restored: older || altered };
  });
}

async function fits(db: Db, mark: LedgerHead): Promise<boolean> {
  return (await ledgerHashAt(db, mark.place)) === mark.hash;
}
