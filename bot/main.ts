import { botSettings, readConfig } from '../shared/config.ts';
import { watchLifecycle } from '../shared/lifecycle.ts';
import { createLog } from '../shared/log.ts';
import { startBot } from './app.ts';

const read = readConfig(botSettings, process.env);
if (!read.ok) {
  console.error(`The bot cannot start:\n${read.problems.map((line) => `- ${line}`).join('\n')}`);
  process.exit(1);
}
const log = createLog({ level: read.config.logLevel, name: 'bot', secrets: read.secrets });
try {
  const bot = await startBot(read.config, { log, secrets: read.secrets });
  watchLifecycle({ log, stop: bot.stop });
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  log.fatal({ err: error }, 'the bot cannot start');
  console.error(`The bot cannot start: ${why}`);
  process.exit(1);
}
