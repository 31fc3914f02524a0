import { sql } from 'drizzle-orm';
import type { LedgerHead } from '../ledger.ts';
import { readMark, writeMark } from '../ledger-mark.ts';
import { settleRestored } from '../restored.ts';
import type { Db } from './client.ts';
import { readNow } from './clock.ts';
import { ledgerHashAt, ledgerHead } from './ledger.ts';

/** The database was replaced by another one under our feet: only a new start may go on with it. */
export class DatabaseReplaced extends Error {
  override readonly name = 'DatabaseReplaced';

  constructor() {
    super('the ledger is not the one that was there before: the database was restored or replaced');
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

/**
 * Compares the database with the high-water mark, once at the start and then all the time. The first
 * start of a place has no mark and takes the database as it is.
 * @throws MarkUnreadable
 */
export async function watchLedger(options: LedgerWatchOptions): Promise<LedgerWatch> {
  const { db, path } = options;
  const first = await meet(options);
  let { seen } = first;
  let noting: Promise<void> = Promise.resolve();

  const note = async () => {
    if (!(await fits(db, seen))) throw new DatabaseReplaced();
    const head = await ledgerHead(db);
    if (head.place === seen.place) return;
    writeMark(path, head);
    seen = head;
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
    note: inTurn,
    async close() {
      clearInterval(timer);
      await inTurn().catch(options.onError);
    },
  };
}

/** Bot and daemon may start at once: one of them settles what was restored, the other finds it done. */
function meet({
  db,
  path,
  actor,
}: LedgerWatchOptions): Promise<{ seen: LedgerHead; restored: boolean }> {
  return db.transaction(async (lock) => {
    await lock.execute(sql`select pg_advisory_xact_lock(hashtextextended('oikos-mark', 0))`);
    const expected = readMark(path);
    const restored = expected !== undefined && !(await fits(db, expected));
    if (restored) {
      await db.transaction(async (tx) => {
        const now = await readNow(tx);
        await settleRestored(tx, { now, actor, expected, found: await ledgerHead(tx) });
      });
    }
    const seen = await ledgerHead(db);
    writeMark(path, seen);
    return { seen, restored };
  });
}

async function fits(db: Db, mark: LedgerHead): Promise<boolean> {
  return (await ledgerHashAt(db, mark.place)) === mark.hash;
}
