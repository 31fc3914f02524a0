import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../lab/services/until.ts';
import { connect } from '../../shared/db/client.ts';
import { listen } from '../../shared/db/listen.ts';
import { freshDatabase } from '../support/database.ts';

const cutOthers = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

it('hears notifications, and hears again after its connection broke', async () => {
  const { url } = await freshDatabase();
  const { db, close } = connect(url);
  onTestFinished(close);
  const heard: string[] = [];
  const errors: Error[] = [];
  const bell = listen(
    url,
    ['oikos_test'],
    (channel, payload) => heard.push(`${channel} ${payload}`),
    (error) => errors.push(error),
  );
  onTestFinished(() => bell.close());
  const ringUntilHeard = (payload: string) =>
    until(async () => {
      await db.execute(sql`select pg_notify('oikos_test', ${payload})`);
      expect(heard).toContain(`oikos_test ${payload}`);
    });

  await ringUntilHeard('before');
  await db.execute(cutOthers);
  await ringUntilHeard('after');
  expect(heard).toContain('oikos_test ');
  expect(errors.length).toBeGreaterThan(0);
});
