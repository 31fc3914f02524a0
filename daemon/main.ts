import { daemonSettings, readConfig } from '../shared/config.ts';
import { LockBusy } from '../shared/db/lock.ts';
import { cannotStart, groundOf } from '../shared/ground.ts';
import { MarkUnreadable } from '../shared/ledger-mark.ts';
import { watchLifecycle } from '../shared/lifecycle.ts';
import { type Daemon, FleetFileError, startDaemon } from './app.ts';

const { config, ...ground } = groundOf('daemon', readConfig(daemonSettings, process.env));
const { log } = ground;
let daemon: Daemon | undefined;
const lifecycle = watchLifecycle({ log, stop: async () => daemon?.stop() });
try {
  daemon = await startDaemon(config, {
    ...ground,
    onFatal: (error) => {
      log.fatal({ err: error }, 'cannot go on');
      lifecycle.shutdown('fatal', 1);
    },
  });
} catch (error) {
  if (error instanceof FleetFileError) cannotStart('daemon', error.problems);
  if (error instanceof LockBusy || error instanceof MarkUnreadable) {
    cannotStart('daemon', [error.message]);
  }
  throw error;
}
