import { asc } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executions, rules } from '../../shared/db/schema.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

const RELOAD = 'systemctl reload nginx';

describe('always allow', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await testWorld();
  });
  afterAll(async () => world?.stop());

  const reloads = async () => {
    const rows = await world.db.select().from(executions).orderBy(asc(executions.proposedAt));
    return rows.filter(({ command }) => command === RELOAD);
  };
  const lastLine = () => world.botSaid().at(-1)?.body ?? '';

  it('asks the first time; the operator always allows what ran', async () => {
    await world.chat('reload nginx on lxc:web');
    await world.chat('yes');
    expect(await reloads()).toMatchObject([{ status: 'completed', risk: 'reversible_low' }]);
    await world.chat('always allow #1');
    expect(lastLine()).toContain(`R1 counts from now on: \`${RELOAD}\` on lxc:web`);
    expect(await world.db.select().from(rules)).toMatchObject([
      {
        kind: 'pattern',
        rootVolume: expect.stringContaining('101'),
        hostKey: expect.stringMatching(/^SHA256:/),
      },
    ]);
  });

  it('runs it at once the next time, and says by whose rule', async () => {
    await world.chat('reload nginx on lxc:web');
    expect((await reloads()).at(-1)).toMatchObject({
      status: 'completed',
      authorization: { kind: 'pattern' },
    });
    const line = world.botSaid().find(({ body }) => body.startsWith('#2 '))?.body ?? '';
    expect(line).toMatch(
      /by R1 \(1 of 6 in 24 hours\), allowed by @\S+ on \d+ \w+ \d{4}: systemctl reload nginx on lxc:web/,
    );
  });

  it('asks again once it is revoked', async () => {
    await world.chat('!oikos rules');
    expect(lastLine()).toContain('R1 (pattern)');
    await world.chat('!oikos revoke R1');
    await world.chat('reload nginx on lxc:web');
    expect((await reloads()).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'pending_approval',
    ]);
  });
});
