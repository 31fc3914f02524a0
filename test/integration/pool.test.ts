import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { connect } from '../../shared/db/client.ts';
import { cutoff } from '../support/cutoff.ts';
import { freshDatabase } from '../support/database.ts';

it('loses no connection of the pool to an outage at the begin of a transaction', async () => {
  const { url } = await freshDatabase();
  const line = await cutoff(url);
  const { db, close } = connect(line.url, { maxConnections: 1 });
  const one = () => db.transaction((tx) => tx.execute(sql`select 1`));
  try {
    for (let round = 0; round < 3; round += 1) {
      await one();
      const cut = line.cut();
      // The pool does not know yet, and hands the broken connection out.
      await expect(one()).rejects.toThrow();
      await cut;
      await line.mend();
    }
    await one();
    await close();
  } finally {
    await line.close();
  }
});
