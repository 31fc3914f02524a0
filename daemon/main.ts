import { daemonSettings, readConfig } from '../shared/config.ts';
import { LockBusy } from '../shared/db/lock.ts';
import { MarkUnreadable } from '../shared/ledger-mark.ts';
import { watchLifecycle } from '../shared/lifecycle.ts';
import { createLog } from '../shared/log.ts';
import { createSealer } from '../shared/seal.ts';
import { sealKeysOr, sealSecrets } from '../shared/seal-keys.ts';
import { type Daemon, FleetFileError, startDaemon } from './app.ts';

function giveUp(problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}

const read = readConfig(daemonSettings, process.env);
if (!read.ok) giveUp(read.problems);
const { config } = read;
const keys = sealKeysOr(giveUp, config.sealKeyFile);
const secrets = [...read.secrets, ...sealSecrets(keys)];
const log = createLog({ level: config.logLevel, name: 'daemon', secrets });

let daemon: Daemon | undefined;
const lifecycle = watchLifecycle({ log, stop: async () => daemon?.stop() });

try {
  daemon = await startDaemon(config, {
    log,
    secrets,
    seals: createSealer(keys),
    onFatal: (error) => {
      log.fatal({ err: error }, 'cannot go on');
      lifecycle.shutdown('fatal', 1);
    },
  });
} catch (error) {
  if (error instanceof FleetFileError) giveUp(error.problems);
  if (error instanceof LockBusy || error instanceof MarkUnreadable) giveUp([error.message]);
  throw error;
}
