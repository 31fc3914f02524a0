import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { until } from '../../lab/services/until.ts';
import { markOffered, noteUse, rulesAbout } from '../../shared/db/rules.ts';
import { allowAlways, confirmRule, type RuleAnswer } from '../../shared/rules.ts';
import { house, OPERATOR, ROOM, warmUp } from '../support/house.ts';

const WAITING = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

it('a wish for a rule that is being used waits for the use, and the use not for it', async () => {
  const h = await house();
  const wish = { agent: 'nomos', roomId: ROOM, by: OPERATOR, dailyCap: 6 };
  const what = { command: 'systemctl restart nginx', target: 'lxc:web' };
  const offered = await allowAlways(h.decideDeps, { ...wish, eventId: '$1' }, what);
  if (offered.kind !== 'offered') throw new Error(offered.kind);
  const { rule } = offered;
  await h.db.transaction((tx) => markOffered(tx, rule.id, 1));
  const said = { number: rule.number, by: OPERATOR, roomId: ROOM, eventId: '$2', seq: 2 };
  await confirmRule(h.decideDeps, said);
  await warmUp(h.db, 3);
  let again: Promise<RuleAnswer> | undefined;
  await h.db.transaction(async (tx) => {
    await rulesAbout(tx, { agent: 'nomos', slug: 'lxc:web', argv: rule.argv }, new Date());
    again = allowAlways(h.decideDeps, { ...wish, eventId: '$3' }, what);
    again.catch(() => undefined);
    await until(async () => {
      const { rows } = await h.db.execute(WAITING);
      if (rows.length === 0) throw new Error('nobody waits');
    });
    await noteUse(tx, rule, { executionId: randomUUID(), taskId: randomUUID(), now: new Date() });
  });
  expect(await again).toMatchObject({ kind: 'already' });
});
