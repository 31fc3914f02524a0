import { botSettings, readConfig } from '../shared/config.ts';
import { cannotStart, groundOf } from '../shared/ground.ts';
import { watchLifecycle } from '../shared/lifecycle.ts';
import { type RunningBot, startBot } from './app.ts';

const { config, ...ground } = groundOf('bot', readConfig(botSettings, process.env));
const { log } = ground;
let bot: RunningBot | undefined;
const lifecycle = watchLifecycle({ log, stop: async () => bot?.stop() });
try {
  bot = await startBot(config, {
    ...ground,
    onFatal: (error) => {
      log.fatal({ err: error }, 'cannot go on');
      lifecycle.shutdown('fatal', 1);
    },
  });
} catch (error) {
  log.fatal({ err: error }, 'the bot cannot start');
  cannotStart('bot', [error instanceof Error ? error.message : String(error)]);
}
