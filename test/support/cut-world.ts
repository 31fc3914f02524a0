import { rule, type Scenario } from '../../lab/model/scenario.ts';
import { type Cutoff, cutoff } from './cutoff.ts';
import { type TestWorld, testWorld } from './world.ts';

export interface CutWorld {
  readonly world: TestWorld;
  /** By which both processes reach what they stand on. */
  readonly lines: Readonly<Record<'database' | 'homeserver' | 'queue', Cutoff>>;
  stop(): Promise<void>;
}

/** A world whose lines to the services can be cut. */
export async function cutWorld(scenario: Scenario): Promise<CutWorld> {
  const opened: Cutoff[] = [];
  const lineTo = async (url = '') => {
    const line = await cutoff(url);
    opened.push(line);
    return line;
  };
  const given = Promise.withResolvers<CutWorld['lines']>();
  const world = await testWorld({
    scenario,
    async adjust({ bot, daemon }) {
      const lines = {
        database: await lineTo(bot['DATABASE_URL']),
        homeserver: await lineTo(bot['MATRIX_HOMESERVER_URL']),
        queue: await lineTo(bot['REDIS_URL']),
      };
      given.resolve(lines);
      const common = { DATABASE_URL: lines.database.url, REDIS_URL: lines.queue.url };
      return {
        bot: { ...bot, ...common, MATRIX_HOMESERVER_URL: lines.homeserver.url },
        daemon: { ...daemon, ...common },
      };
    },
  });
  return {
    world,
    lines: await given.promise,
    async stop() {
      await world.stop();
      for (const line of opened) await line.close();
    },
  };
}

/** Thinks for a while, so that there is time for an outage or a kill. */
export const slowThought = rule({
  name: 'slow',
  when: ({ words, fresh }) => (fresh && words.startsWith('think') ? words : undefined),
  reply: (_view, words) => ({
    text: `Thought about: ${words}`,
    fault: { kind: 'slow_start', delayMs: 1_500 },
  }),
});
