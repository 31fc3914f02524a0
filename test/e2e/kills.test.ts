import { afterAll, beforeAll, expect, it } from 'vitest';
import { rule } from '../../lab/model/scenario.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

/** `npm run chaos:room` kills 25 times. */
const KILLS = Number(process.env['OIKOS_KILLS'] ?? 3);
const MESSAGES_A_LIFE = 3;

/** Answers what it was asked, a little late, so that kills hit it at every moment of a turn. */
const echo = rule({
  name: 'echo',
  when: ({ words, fresh }) => (fresh && words.startsWith('say ') ? words : undefined),
  reply: (_view, words) => ({
    text: `I ${words}`,
    fault: { kind: 'slow_start', delayMs: 150 },
  }),
});

let world: TestWorld;
beforeAll(async () => {
  world = await testWorld({ scenario: [echo] });
});
afterAll(async () => world?.stop());

it(
  `answers every message exactly once over ${KILLS} kills of the bot`,
  async () => {
    const said: string[] = [];
    let last = '';
    for (let life = 0; life < KILLS; life += 1) {
      for (let n = 0; n < MESSAGES_A_LIFE; n += 1) {
        // A thread of its own each, under a blank: words of one task would share an answer.
        const root = await world.operator.say(world.roomId, ' ');
        last = await world.operator.sayInThread(world.roomId, root, `say ${life}.${n}.`);
        said.push(`I say ${life}.${n}.`);
        // Moments spread over receipt, model call and answer.
        await new Promise((resolve) => setTimeout(resolve, ((life * 3 + n) * 61 * 7) % 350));
      }
      await world.bot.end('SIGKILL');
      await world.bot.start();
    }
    await world.settle(last);
    const bodies = world.botSaid().map(({ body }) => body);
    const times = said.map((text) => [text, bodies.filter((body) => body === text).length]);
    expect(times).toEqual(said.map((text) => [text, 1]));
  },
  60_000 + KILLS * 20_000,
);
