import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exactCommand } from '../../lab/model/scenarios/change.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

const random = (bytes: number) => randomBytes(bytes).toString('hex');
/** What a command prints: in one piece, and in two that are written apart. */
const PRINTED = { whole: `ghp_${random(20)}`, split: `ghp_${random(20)}` };
const SETTINGS = { database: `db-${random(12)}`, model: `sk-${random(16)}` };

const TABLES = [
  'messages',
  'execution_output',
  'audit_events',
  'executions',
  'turns',
  'outbox',
  'agent_sessions',
  'approvals',
  'decisions',
];

describe('secrets', () => {
  let world: TestWorld;
  let botToken = '';
  const logLines = new Set<string>();
  let collecting: NodeJS.Timeout | undefined;

  beforeAll(async () => {
    const withPassword = (url: string | undefined) => {
      const changed = new URL(url ?? '');
      changed.password = SETTINGS.database;
      return changed.href;
    };
    world = await testWorld({
      scenario: [exactCommand],
      async adjust({ bot, daemon }) {
        botToken = bot['MATRIX_ACCESS_TOKEN'] ?? '';
        const common = {
          DATABASE_URL: withPassword(bot['DATABASE_URL']),
          LOG_LEVEL: 'trace',
        };
        return {
          bot: { ...bot, ...common, OPENAI_API_KEY: SETTINGS.model },
          daemon: { ...daemon, ...common },
        };
      },
    });
    const collect = () => {
      for (const one of [world.bot, world.daemon]) {
        for (const line of one.logTail().split('\n')) logLines.add(line);
      }
    };
    collecting = setInterval(collect, 10);
  });
  afterAll(async () => {
    clearInterval(collecting);
    await world?.stop();
  });

  /** Rows of all tables that hold the text. */
  const kept = async (secret: string): Promise<string[]> => {
    const found: string[] = [];
    for (const table of TABLES) {
      const { rows } = await world.db.execute(
        sql.raw(`select 1 from ${table} t where t::text like '%${secret}%'`),
      );
      if (rows.length > 0) found.push(table);
    }
    return found;
  };
  const shown = () => JSON.stringify(world.operator.timeline(world.roomId));
  const asked = () => JSON.stringify(world.model.requests.map(({ body }) => body));

  it('that a command prints reach neither room, model, database nor log', async () => {
    await world.host.run(`printf 'token %s\\n' ${PRINTED.whole} > /srv/whole`);
    await world.host.run(`printf '%s' ${PRINTED.split.slice(0, 14)} > /srv/head`);
    await world.host.run(`printf '%s\\n' ${PRINTED.split.slice(14)} > /srv/rest`);
    await world.chat('run cat /srv/whole on host:lab');
    await world.chat('run cat /srv/head; sleep 2; cat /srv/rest on host:lab');
    expect(world.botSaid().filter(({ body }) => body.includes('[redacted:'))).not.toEqual([]);
    for (const secret of Object.values(PRINTED)) {
      expect(shown()).not.toContain(secret);
      expect(asked()).not.toContain(secret);
      expect(await kept(secret)).toEqual([]);
      expect([...logLines].filter((line) => line.includes(secret))).toEqual([]);
    }
  });

  it('that the processes hold are taken out of what a command prints', async () => {
    await world.host.run(`printf 'password is %s\\n' ${SETTINGS.database} > /srv/own`);
    await world.chat('run cat /srv/own on host:lab');
    expect(await kept(SETTINGS.database)).toEqual([]);
    expect(asked()).not.toContain(SETTINGS.database);
    expect(shown()).not.toContain(SETTINGS.database);
  });

  it('of the settings are in no line that either process wrote', async () => {
    await world.bot.end('SIGTERM');
    await world.daemon.end('SIGTERM');
    await Promise.all([world.bot.start(), world.daemon.start()]);
    expect(logLines.size).toBeGreaterThan(10);
    for (const secret of [SETTINGS.database, SETTINGS.model, botToken]) {
      expect(secret.length).toBeGreaterThan(8);
      expect([...logLines].filter((line) => line.includes(secret))).toEqual([]);
      expect(shown()).not.toContain(secret);
      expect(await kept(secret)).toEqual([]);
    }
  });
});
