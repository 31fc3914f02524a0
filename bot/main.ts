import { botSettings, readConfig } from '../shared/config.ts';
import { watchLifecycle } from '../shared/lifecycle.ts';
import { createLog } from '../shared/log.ts';
import { createSealer } from '../shared/seal.ts';
import { sealKeysOr, sealSecrets } from '../shared/seal-keys.ts';
import { type RunningBot, startBot } from './app.ts';

function giveUp(problems: readonly string[]): never {
  console.error(`The bot cannot start:\n${problems.map((line) => `- ${line}`).join('\n')}`);
  process.exit(1);
}

const read = readConfig(botSettings, process.env);
if (!read.ok) giveUp(read.problems);
const { config } = read;
const keys = sealKeysOr(giveUp, config.sealKeyFile);
const secrets = [...read.secrets, ...sealSecrets(keys)];
const log = createLog({ level: config.logLevel, name: 'bot', secrets });

let bot: RunningBot | undefined;
const lifecycle = watchLifecycle({ log, stop: async () => bot?.stop() });
try {
  bot = await startBot(config, {
    log,
    secrets,
    seals: createSealer(keys),
    onFatal: (error) => {
      log.fatal({ err: error }, 'cannot go on');
      lifecycle.shutdown('fatal', 1);
    },
  });
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  log.fatal({ err: error }, 'the bot cannot start');
  giveUp([why]);
}
