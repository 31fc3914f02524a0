import { randomUUID } from 'node:crypto';
import { windows } from '../../shared/db/schema.ts';
import { windowContent } from '../../shared/sealed.ts';
import type { World } from './daemon-world.ts';
import { testSeals } from './seals.ts';

/** Puts a window of an execution's own task into the database, open now unless told otherwise. */
export async function openWindow(
  { home, id }: { readonly home: World; readonly id: string },
  more: Partial<typeof windows.$inferInsert> = {},
  how: { readonly sealed: boolean } = { sealed: false },
): Promise<string> {
  const { taskId, agent, proposedAt } = await home.row(id);
  const row = {
    id: randomUUID(),
    kind: 'assent',
    key: 'k',
    object: null,
    verb: null,
    taskId,
    agent,
    openedBy: '@op:test',
    approvalId: randomUUID(),
    openedAt: new Date(proposedAt.getTime() - 60_000),
    expiresAt: new Date(proposedAt.getTime() + 60_000),
    coversSeq: 0,
  } as const;
  const seal = how.sealed ? testSeals.seal('window', windowContent(row)) : null;
  await home.db.insert(windows).values({ ...row, seal, ...more });
  return row.id;
}
