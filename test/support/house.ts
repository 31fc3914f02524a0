import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import { connect, type Db } from '../../shared/db/client.ts';
import { sealTargets, upsertEntity } from '../../shared/db/entities.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { listRoom } from '../../shared/db/rooms.ts';
import { agentSessions, executions, turns } from '../../shared/db/schema.ts';
import type { DecideDeps } from '../../shared/decide.ts';
import type { ProposeDeps } from '../../shared/propose.ts';
import { moveClock } from './clock.ts';
import { freshDatabase } from './database.ts';
import { testSeals } from './seals.ts';

export const OPERATOR = '@op:oikos.test';
export const VIEWER = '@viewer:oikos.test';
export const STRANGER = '@stranger:oikos.test';
export const ROOM = '!room:oikos.test';

export interface House {
  readonly db: Db;
  readonly url: string;
  readonly rung: string[];
  readonly proposeDeps: ProposeDeps;
  readonly decideDeps: DecideDeps;
  newTask(room?: string): Promise<{ taskId: string; turnId: string }>;
  newTurn(taskId: string, more?: { byOperator?: boolean; stopEpoch?: number }): Promise<string>;
  /** Moves the clock of everybody who uses this database. */
  moveClock(minutes: number): Promise<void>;
}

/** A migrated database with a small fleet, and what propose() and decide() need. */
export async function house(): Promise<House> {
  const { url } = await freshDatabase();
  const { db, close } = connect(url, { maxConnections: 12 });
  onTestFinished(close);
  await seedFleet(db);
  await listRoom(db, testSeals, ROOM, 'the test');
  const rung: string[] = [];
  const ring = async ({ id }: { id: string }) => {
    rung.push(id);
  };
  let tasks = 0;
  const newTurn: House['newTurn'] = async (taskId, more = {}) => {
    const [turn] = await db
      .insert(turns)
      .values({
        taskId,
        trigger: 'message',
        requestedBy: OPERATOR,
        byOperator: more.byOperator ?? true,
        stopEpoch: more.stopEpoch ?? 0,
        status: 'ended',
        createdAt: new Date(),
      })
      .returning();
    return turn?.id ?? '';
  };
  return {
    db,
    url,
    rung,
    newTurn,
    proposeDeps: { db, ring, seals: testSeals, waitForLook: (id) => rowOf(db, id) },
    decideDeps: {
      db,
      ring,
      isOperator: (id) => id === OPERATOR,
      reactionsOpenWindow: false,
      seals: testSeals,
      graceMs: 0,
      staleYesMs: 60 * 60_000,
    },
    async newTask(room = ROOM) {
      tasks += 1;
      // Tests that ask for several at once meet while the room is listed.
      const number = tasks;
      await listRoom(db, testSeals, room, 'the test');
      const [task] = await db
        .insert(agentSessions)
        .values({
          number,
          roomId: room,
          threadRoot: `$thread${number}`,
          agent: 'nomos',
          goal: 'test',
          status: 'open',
          createdAt: new Date(),
          lastActiveAt: new Date(),
        })
        .returning();
      const taskId = task?.id ?? '';
      return { taskId, turnId: await newTurn(taskId) };
    },
    moveClock: (minutes) => moveClock(db, minutes * 60_000),
  };
}

async function rowOf(db: Db, id: string): Promise<ExecutionRow> {
  const [row] = await db.select().from(executions).where(eq(executions.id, id));
  if (!row) throw new Error(`no execution ${id}`);
  return row;
}

async function seedFleet(db: Db): Promise<void> {
  const now = new Date();
  const guest = (slug: string, vmid: number) =>
    upsertEntity(
      db,
      {
        type: 'lxc',
        slug,
        name: slug.slice(4),
        state: 'active',
        attributes: { host: 'lab', vmid, shell: 'bash' },
      },
      now,
    );
  await upsertEntity(
    db,
    { type: 'host', slug: 'host:lab', name: 'lab', state: 'active', attributes: { shell: 'bash' } },
    now,
  );
  await guest('lxc:web', 101);
  await guest('lxc:dns', 102);
  const slugs = ['host:lab', 'lxc:web', 'lxc:dns'];
  await db.transaction((tx) => sealTargets(tx, testSeals, slugs));
}

/** Racers must not queue behind the pool's first connects, or they would never meet. */
export async function warmUp(db: Db, connections: number): Promise<void> {
  const naps = Array.from({ length: connections }, () => db.execute(sql`select pg_sleep(0.2)`));
  await Promise.all(naps);
}

export function callKey(): string {
  return `test:${randomUUID()}`;
}
