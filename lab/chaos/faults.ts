import { setTimeout as sleep } from 'node:timers/promises';
import type { OikosProcess } from '../processes.ts';
import type { ChaosWorld } from './world.ts';

/** One way to injure a running world; afterwards all of it works again. */
export interface Fault {
  readonly name: string;
  inject(world: ChaosWorld, chance: () => number): Promise<void>;
}

/** The server processes of SSH connections, inside the lab host. */
const SSH_SESSIONS = `for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q '^sshd: root' && echo "\${p#/proc/}"; done`;
/** Longer than the daemon bears a silent peer (5 s, three times). */
const SILENCE_MS = 17_000;

async function signalSessions({ host }: ChaosWorld, signal: string): Promise<void> {
  await host.run(`for pid in $(${SSH_SESSIONS}); do kill -${signal} "$pid"; done; true`);
}

async function killed(process: OikosProcess): Promise<void> {
  await process.end('SIGKILL');
  await process.start();
}

export const FAULTS: readonly Fault[] = [
  { name: 'kill -9 the daemon', inject: ({ daemon }) => killed(daemon) },
  { name: 'kill -9 the bot', inject: ({ bot }) => killed(bot) },
  { name: 'restart the queue', inject: ({ queue }) => queue.restart() },
  { name: 'flush the queue', inject: ({ queue }) => queue.flush() },
  { name: 'restart Postgres', inject: ({ database }) => database.restart() },
  { name: 'cut the SSH connection', inject: (world) => signalSessions(world, 'KILL') },
  {
    name: 'a silent SSH peer',
    async inject(world) {
      await signalSessions(world, 'STOP');
      await sleep(SILENCE_MS);
      await signalSessions(world, 'KILL');
    },
  },
  { name: 'restart the homeserver', inject: ({ homeserver }) => homeserver.restart() },
  {
    name: 'two daemons, one killed',
    async inject({ daemon, secondDaemon }, chance) {
      await secondDaemon.start();
      await sleep(chance() * 400);
      const [dies, stays] = chance() < 0.5 ? [daemon, secondDaemon] : [secondDaemon, daemon];
      await dies.end('SIGKILL');
      if (stays === secondDaemon) {
        await daemon.start();
        await secondDaemon.end('SIGTERM');
      }
    },
  },
];
