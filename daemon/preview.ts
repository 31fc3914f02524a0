import { eq } from 'drizzle-orm';
import { classifyAgain } from '../shared/classify-again.ts';
import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { type ExecutionRow, lockExecution } from '../shared/db/executions.ts';
import { readGateGround } from '../shared/db/gate-ground.ts';
import { executions } from '../shared/db/schema.ts';
import { lockTask } from '../shared/db/tasks.ts';
import { targetOf } from '../shared/db/windows.ts';
import type { Log } from '../shared/log.ts';
import { type Finding, settleProposal } from '../shared/settle.ts';
import { storableValue } from '../shared/storable.ts';
import type { Claimer } from './claim.ts';
import {
  askOf,
  factsFrom,
  furtherPlan,
  type LookPlan,
  placesOf,
  placeTarget,
  planLook,
  planTrouble,
  type Reading,
  readingOn,
  withFurther,
} from './look.ts';
import { probe } from './probe.ts';
import { machinesOf, proposalTrouble } from './seals.ts';
import { lookScript, mergeLooks, readLook } from './ssh/preflight.ts';
import type { HostSlot, Transport } from './ssh/transport.ts';

export interface PreviewDeps {
  readonly db: Db;
  readonly transport: Transport;
  readonly claimer: Claimer;
  readonly redact: (text: string) => string;
  readonly keepEnvOption: (hostSlug: string) => boolean;
  readonly newNonce: () => string;
  readonly log: Log;
}

export interface Previewer {
  /**
   * Looks at what a proposal would execute or destroy, and moves it on. Answers whether it did:
   * false for a row that waits for nothing, or that somebody else moved first. Never throws.
   */
  look(id: string): Promise<boolean>;
  /** What breaks from now on says nothing of a host: it is left to whoever looks next. */
  close(): void;
}

const MAX_ANSWER = 512 * 1024;

/** K17: reads facts for proposals that wait for them. What it runs is built here, never from the row. */
export function createPreviewer(deps: PreviewDeps): Previewer {
  const { db, transport, claimer, log } = deps;
  const inHand = new Set<string>();
  let closed = false;

  const look = async (id: string): Promise<boolean> => {
    if (inHand.has(id)) return false;
    inHand.add(id);
    try {
      const [row] = await db.select().from(executions).where(eq(executions.id, id));
      if (row?.status !== 'proposed') return false;
      const found = await find(row);
      if (closed && found !== null && 'trouble' in found) return false;
      return await settle(row, found);
    } catch (error) {
      // The sweep tries again, and gives it up in words after a while.
      log.error({ err: error, executionId: id }, 'a proposal could not be looked at');
      return false;
    } finally {
      inHand.delete(id);
    }
  };

  const find = async (row: ExecutionRow): Promise<Finding> => {
    const target = targetOf(row);
    if (!claimer.hosts.has(row.hostSlug)) {
      return { trouble: `${row.hostSlug} is not in the daemon's fleet file` };
    }
    const ground = await readGateGround(db);
    const altered = proposalTrouble(row, machinesOf(row, ground.fleet), claimer.seals);
    if (altered) return { trouble: altered };
    const plan = planLook(classifyAgain(row, target, ground));
    if (plan === undefined) return null;
    const trouble = planTrouble(plan, target);
    if (trouble) return { trouble };
    const reserved = await transport.reserve(row.hostSlug);
    if (!reserved.ok) {
      return { trouble: `${reserved.trouble.sentence}; its files could not be looked at` };
    }
    try {
      return await lookTwice(reserved.slot, row, plan, readingOn(row, ground));
    } finally {
      reserved.slot.release();
    }
  };

  /** At what the command names, then at what those files name. */
  const lookTwice = async (slot: HostSlot, row: ExecutionRow, plan: LookPlan, reading: Reading) => {
    const reader = { target: targetOf(row), reading, redact: deps.redact };
    const first = await lookAll(slot, row, plan);
    if ('trouble' in first) return first;
    const facts = factsFrom(plan, first, reader);
    if ('trouble' in facts) return facts;
    const named = furtherPlan(plan, first, reading);
    const second = await lookAll(slot, row, named.plan);
    if ('trouble' in second) return second;
    const further = factsFrom(named.plan, second, reader);
    return 'trouble' in further ? further : withFurther(facts, further, named);
  };

  const lookAll = async (slot: HostSlot, row: ExecutionRow, plan: LookPlan) => {
    const looks = [];
    for (const place of placesOf(plan)) {
      const nonce = deps.newNonce();
      const there = placeTarget(targetOf(row), place);
      const ask = askOf(plan, place, true);
      const answer = await probe(slot, there, lookScript(ask, nonce), {
        keepEnvOption: deps.keepEnvOption(row.hostSlug),
        dialect: place === undefined ? row.dialect : 'posix',
        maxAnswer: MAX_ANSWER,
      });
      if (answer.kind !== 'answered') {
        return { trouble: `its files could not be looked at: ${answer.reason}` };
      }
      looks.push(readLook(answer.stdout, nonce, ask));
    }
    return mergeLooks(looks);
  };

  const settle = (seen: ExecutionRow, found: Finding): Promise<boolean> =>
    db.transaction(async (tx) => {
      const now = await readNow(tx);
      const task = await lockTask(tx, seen.taskId);
      const row = await lockExecution(tx, seen.id);
      if (row.status !== 'proposed' || task === undefined) return false;
      const actor = claimer.owner;
      await settleProposal(tx, row, {
        task,
        found: found && storableValue(found),
        actor,
        now,
        from: 'daemon',
        seals: claimer.seals,
      });
      return true;
    });

  return {
    look,
    close() {
      closed = true;
    },
  };
}
