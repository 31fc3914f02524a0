import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { rule } from '../../lab/model/scenario.ts';
import { oikosProcess } from '../../lab/processes.ts';
import { freePort } from '../../lab/services/free-port.ts';
import { until } from '../../lab/services/until.ts';
import { type Settings, type TestWorld, testWorld } from '../support/world.ts';

const echo = rule({
  name: 'echo',
  when: ({ words, fresh }) => (fresh ? words : undefined),
  reply: (_view, words) => ({ text: `heard ${words}` }),
});

let world: TestWorld;
let settings: Settings;
beforeAll(async () => {
  world = await testWorld({
    scenario: [echo],
    adjust: async (given) => {
      settings = given;
      return given;
    },
  });
});
afterAll(async () => world?.stop());

it('a second bot waits, takes over when the first is killed, and answers each message once', async () => {
  const port = await freePort();
  const standby = oikosProcess({
    name: 'bot',
    port,
    env: { ...settings.bot, BOT_HTTP_PORT: `${port}` },
  });
  onTestFinished(() => standby.end('SIGTERM'));
  const ready = standby.start();
  await until(async () => {
    if (!standby.logTail().includes('another bot runs')) throw new Error('it does not wait');
  });

  await world.chat('one');
  const eventId = await world.operator.say(world.roomId, 'two');
  await world.bot.end('SIGKILL');
  await ready;
  await world.settle(eventId);
  await world.chat('three');

  const answers = world
    .botSaid()
    .map(({ body }) => body)
    .filter((body) => body.startsWith('heard'));
  const heard = answers.join('\n');
  for (const word of ['one', 'two', 'three']) {
    expect(heard.split(word), word).toHaveLength(2);
  }
});
