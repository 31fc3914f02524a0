import { expireApproval } from '../shared/approval-end.ts';
import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import {
  outlivedApprovals,
  overdueStarts,
  staleProposals,
  waitingProposals,
} from '../shared/db/due.ts';
import { advance } from '../shared/db/executions.ts';
import { lockTask } from '../shared/db/tasks.ts';

export interface SweepDeps {
  readonly db: Db;
  readonly site: string;
  readonly actor: string;
  /** Starts, or looks at, an execution that nobody rang for; not waited for. */
  readonly start: (id: string) => void;
}

const RING_PATIENCE_MS = 2_000;
const PROPOSAL_PATIENCE_MS = 60_000;

/** One look at what time alone has changed: lost rings, late starts, dead proposals, old cards. */
export async function sweep(deps: SweepDeps): Promise<void> {
  const now = await readNow(deps.db);
  await startOrExpire(deps, now);
  await lookAgain(deps, now);
  await failStaleProposals(deps, now);
  await expireCards(deps, now);
}

async function startOrExpire({ db, site, actor, start }: SweepDeps, now: Date): Promise<void> {
  const approvedBefore = before(now, RING_PATIENCE_MS);
  for (const { id, notAfter } of await overdueStarts(db, site, { approvedBefore, now })) {
    if (notAfter !== null && notAfter > now) {
      start(id);
      continue;
    }
    const reason = 'it was not started in time; ask again if it is still wanted';
    await db.transaction((tx) => advance(tx, id, 'expired', { actor, now, patch: { reason } }));
  }
}

/** Proposals whose ring was lost, or whose daemon ended while it looked. */
async function lookAgain({ db, site, start }: SweepDeps, now: Date): Promise<void> {
  for (const { id } of await waitingProposals(db, site, before(now, RING_PATIENCE_MS))) start(id);
}

async function failStaleProposals({ db, actor }: SweepDeps, now: Date): Promise<void> {
  for (const { id } of await staleProposals(db, before(now, PROPOSAL_PATIENCE_MS))) {
    const reason = 'what had to be known about the host first was not learnt in time';
    await db.transaction((tx) => advance(tx, id, 'failed', { actor, now, patch: { reason } }));
  }
}

async function expireCards({ db }: SweepDeps, now: Date): Promise<void> {
  for (const approval of await outlivedApprovals(db, now)) {
    await db.transaction(async (tx) => {
      await lockTask(tx, approval.taskId);
      await expireApproval(tx, approval, now);
    });
  }
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}
