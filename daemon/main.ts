import { daemonSettings, readConfig } from '../shared/config.ts';
import { LockBusy } from '../shared/db/lock.ts';
import { watchLifecycle } from '../shared/lifecycle.ts';
import { createLog } from '../shared/log.ts';
import { type Daemon, FleetFileError, startDaemon } from './app.ts';

function giveUp(problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}

const read = readConfig(daemonSettings, process.env);
if (!read.ok) giveUp(read.problems);
const { config, secrets } = read;
const log = createLog({ level: config.logLevel, name: 'daemon', secrets });

let daemon: Daemon | undefined;
const lifecycle = watchLifecycle({ log, stop: async () => daemon?.stop() });

try {
  daemon = await startDaemon(config, {
    log,
    secrets,
    onFatal: (error) => {
      log.fatal({ err: error }, 'cannot go on');
      lifecycle.shutdown('fatal', 1);
    },
  });
} catch (error) {
  if (error instanceof FleetFileError) giveUp(error.problems);
  if (error instanceof LockBusy) giveUp([error.message]);
  throw error;
}
