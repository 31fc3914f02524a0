import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { executions, turns } from '../../shared/db/schema.ts';
import { runsOn, says, type Talk, talk } from '../support/talk.ts';

/** The nth write to the rows of a conversation fails, as when the connection breaks; then never again. */
async function failOnce(t: Talk, nth: number): Promise<void> {
  await t.db.execute(
    sql.raw(`
    create sequence writes;
    create function injure() returns trigger language plpgsql as $$
    begin
      if nextval('writes') = ${nth} then raise exception 'injured at write ${nth}'; end if;
      return new;
    end $$;
    create trigger injured before insert or update on messages for each row execute function injure();
    create trigger injured before insert or update on executions for each row execute function injure();
    create trigger injured before insert or update on turns for each row execute function injure();
    create trigger injured before insert or update on outbox for each row execute function injure();
    create trigger injured before insert or update on approvals for each row execute function injure();`),
  );
}

describe('a conversation of which one write fails', () => {
  it.each([1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23])(
    'at write %i: nothing hangs, nothing is done twice, the room hears of it',
    { timeout: 30_000 },
    async (nth) => {
      const t = await talk((request) => {
        const last = request.messages.at(-1);
        if (last?.role === 'tool') return says('It waits for you.');
        return last?.content.includes('restart nginx') && !last.content.startsWith('[oikos] ')
          ? runsOn('lxc:web', 'systemctl restart nginx')
          : says('Noted.');
      });
      await failOnce(t, nth);
      await t.say('restart nginx');
      await t.settled(20_000);
      expect(t.texts()).not.toEqual([]);
      if ((await t.db.select().from(executions)).length === 0) await t.say('restart nginx');
      await t.settled(20_000);
      await t.say('yes #1');
      await t.settled(20_000);
      expect((await t.execution(1)).status).toBe('approved');
      await t.runs(1);
      await t.settled(20_000);
      const rows = await t.db.select().from(executions);
      expect(rows).toMatchObject([{ status: 'completed' }]);
      expect(rows[0]?.seenInTurn).not.toBeNull();
      const live = (await t.db.select().from(turns)).filter(({ status }) => status !== 'ended');
      expect(live).toEqual([]);
      const cards = t.texts().filter((text) => text.startsWith('#1 needs your yes'));
      expect(cards).toHaveLength(1);
    },
  );
});
