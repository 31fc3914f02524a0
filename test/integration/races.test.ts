import { and, eq, inArray, isNull } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { completeTask } from '../../bot/conversation/complete.ts';
import { scheduleContinuation } from '../../bot/conversation/continuation.ts';
import { endTurn } from '../../bot/conversation/end-turn.ts';
import { hearMessage } from '../../bot/conversation/messages.ts';
import { claimStart } from '../../daemon/claim.ts';
import { sweep } from '../../daemon/sweeper.ts';
import { readNow } from '../../shared/db/clock.ts';
import { advance } from '../../shared/db/executions.ts';
import { addToolResult } from '../../shared/db/messages.ts';
import {
  agentSessions,
  approvals,
  auditEvents,
  executions,
  messages,
  rooms,
  turns,
} from '../../shared/db/schema.ts';
import { lockTask } from '../../shared/db/tasks.ts';
import { claimTurn, liveTurn } from '../../shared/db/turns.ts';
import { revokeForeignWindows } from '../../shared/db/windows.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { stopTask } from '../../shared/stop.ts';
import { takeBack } from '../../shared/take-back.ts';
import { testClaimer } from '../support/claimer.ts';
import { callKey, type House, house, OPERATOR, ROOM, warmUp } from '../support/house.ts';

const WORKERS = 10;
const STEPS = 100;

/** Repeatable: a failing run can be run again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** The room's events are read one after another. */
class Queue {
  #last: Promise<unknown> = Promise.resolve();
  next(work: () => Promise<unknown>): Promise<unknown> {
    this.#last = this.#last.catch(() => undefined).then(work);
    return this.#last;
  }
}

/** Everything that the two processes do to the rows of a room, in any order and all at once. */
function deeds(h: House, roll: (sides: number) => number, reader: Queue) {
  const { db } = h;
  const told = { db, redact: (text: string) => text, nonce: () => 'n' };
  const claimer = testClaimer();
  const aTask = async () => {
    const rows = await db.select().from(agentSessions);
    return rows[roll(rows.length)]?.id ?? '';
  };
  const anApproval = async () => {
    const rows = await db.select().from(approvals);
    return rows[roll(rows.length)];
  };
  const anExecution = async (status: 'approved' | 'running') => {
    const rows = await db.select().from(executions).where(eq(executions.status, status));
    return rows[roll(rows.length)]?.id;
  };
  return [
    async function suggests() {
      const taskId = await aTask();
      const turn = await liveTurn(db, taskId);
      const command = ['systemctl restart', 'touch', 'uptime; touch'][roll(3)];
      await propose(h.proposeDeps, {
        taskId,
        turnId: turn?.id ?? null,
        callKey: callKey(),
        target: roll(2) === 0 ? 'lxc:web' : 'host:lab',
        command: roll(4) === 0 ? 'df -h' : `${command} a${roll(50)}`,
        purpose: '',
      });
    },
    async function decides() {
      const approval = await anApproval();
      if (!approval) return;
      await decide(h.decideDeps, {
        approvalId: approval.id,
        decision: roll(3) === 0 ? 'denied' : 'granted',
        by: OPERATOR,
        how: 'words',
        eventId: `$${approval.id}${roll(2)}`,
      });
    },
    async function takesBack() {
      const approval = await anApproval();
      if (!approval) return;
      await takeBack(db, { eventId: `$${approval.id}0`, by: OPERATOR, because: 'no' });
    },
    async function claims() {
      const id = await anExecution('approved');
      if (id) await claimStart(db, id, claimer, null);
    },
    async function ends() {
      const id = await anExecution('running');
      if (!id) return;
      const now = await readNow(db);
      const event = roll(2) === 0 ? 'succeeded' : 'failed';
      await db.transaction((tx) => advance(tx, id, event, { actor: 'd/1', now }));
    },
    async function speaks() {
      const rows = await db.select().from(agentSessions);
      const root = `$thread${1 + roll(rows.length)}`;
      await reader.next(() =>
        db.transaction(async (tx) =>
          hearMessage(tx, {
            roomId: ROOM,
            place: { kind: 'thread', root },
            agent: 'nomos',
            sender: OPERATOR,
            byOperator: true,
            body: 'go on',
            eventId: callKey(),
            now: await readNow(tx),
          }),
        ),
      );
    },
    async function takesUpATurn() {
      const turn = await liveTurn(db, await aTask());
      if (turn?.status === 'queued') {
        // Two claims of one task at a time: the index lets one of them through.
        await claimTurn(db, turn.id, await readNow(db)).catch((error: unknown) => {
          if (!String((error as Error).cause).includes('one_running_turn')) throw error;
        });
      }
    },
    async function reads() {
      const taskId = await aTask();
      const turn = await liveTurn(db, taskId);
      if (!turn) return;
      await db.transaction(async (tx) => {
        await lockTask(tx, taskId);
        const at = await readNow(tx);
        const origins = ['guest:lxc:web' as const];
        await addToolResult(tx, {
          taskId,
          turnId: turn.id,
          callKey: callKey(),
          callId: 'c',
          content: 'text',
          origins,
          at,
        });
        await revokeForeignWindows(tx, taskId, origins, at);
      });
    },
    async function endsATurn() {
      const turn = await liveTurn(db, await aTask());
      if (turn?.status === 'running') await endTurn(told, turn, { status: 'answered', text: 'ok' });
    },
    async function continues() {
      await scheduleContinuation(told, await aTask());
    },
    async function stops() {
      if (roll(3) === 0) await stopTask(db, await aTask(), OPERATOR, callKey());
    },
    async function closes() {
      if (roll(3) === 0) {
        const end = { outcome: 'success' as const, summary: 'done' };
        await completeTask(db, await aTask(), 'nomos', end);
      }
    },
    async function sweeps() {
      await sweep({ db, site: 'home', actor: 'd/1', start: () => undefined });
    },
  ];
}

describe('everything at once', () => {
  it('neither deadlocks, nor starts twice, nor forgets an end', { timeout: 60_000 }, async () => {
    const h = await house();
    for (let n = 0; n < 3; n += 1) await h.newTask();
    await h.db.update(rooms).set({ lastTask: 3 }).where(eq(rooms.roomId, ROOM));
    await warmUp(h.db, 12);
    const trouble: string[] = [];
    const reader = new Queue();
    const worker = async (seed: number) => {
      const roll = dice(seed);
      const all = deeds(h, roll, reader);
      for (let step = 0; step < STEPS; step += 1) {
        const deed = all[roll(all.length)];
        await deed?.().catch((error: unknown) => {
          const { cause } = error as Error;
          trouble.push(`${deed.name}: ${String(cause ?? error)}`);
        });
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, n) => worker(n * 7_919 + 1)));
    expect(trouble).toEqual([]);

    const claimed = await h.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'execution.claimed'));
    expect(claimed.length).toBeGreaterThan(0);
    expect(new Set(claimed.map(({ executionId }) => executionId)).size).toBe(claimed.length);
    await letTurnsEnd(h);
    const forgotten = await h.db
      .select()
      .from(executions)
      .where(
        and(
          inArray(executions.status, ['completed', 'failed', 'denied', 'refused', 'lost']),
          isNull(executions.seenInTurn),
        ),
      );
    expect(forgotten.map(({ command, status }) => `${command} ${status}`)).toEqual([]);
    const unread = await h.db
      .select()
      .from(messages)
      .where(and(eq(messages.role, 'user'), isNull(messages.turnId)));
    const waiting = await h.db.select().from(turns).where(eq(turns.status, 'queued'));
    const readers = new Set(waiting.map(({ taskId }) => taskId));
    expect(unread.filter(({ taskId }) => !readers.has(taskId))).toEqual([]);
  });
});

/** What the mailbox and the relay would do in the end. */
async function letTurnsEnd(h: House): Promise<void> {
  const told = { db: h.db, redact: (text: string) => text, nonce: () => 'n' };
  // The operator is there: no chain ends because nobody spoke.
  await h.db.update(agentSessions).set({ continuations: 0 });
  const tasks = await h.db.select().from(agentSessions);
  for (let round = 0; round < 6; round += 1) {
    for (const { id } of tasks) {
      const turn = await liveTurn(h.db, id);
      if (turn?.status === 'running') await endTurn(told, turn, { status: 'answered', text: 'ok' });
      await scheduleContinuation(told, id);
    }
  }
}
