/** `vzdump ID`, and what the workers of tasks do. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, refused, SILENT } from './answer.ts';
import { pct } from './pct.ts';
import { currentFaults, findGuest, writeConfig } from './store.ts';
import { runTask, work } from './tasks.ts';

const DUMPS = '/var/lib/vz/dump';

export async function vzdump(args: readonly string[]): Promise<Answer> {
  const id = args.find((word) => /^\d+$/.test(word));
  if (id === undefined) return refused('400 not enough arguments\nvzdump {<vmid>} [OPTIONS]', 2);
  const { code } = await runTask('vzdump', id);
  return code === 0 ? SILENT : refused('job errors');
}

/** `lab-task UPID TYPE ID`: the worker itself. */
export function labTask([upid = '', type = '', id = '']: readonly string[]): Promise<Answer> {
  if (type === 'vzdump') return work(upid, (say) => backUp(Number(id), say));
  return work(upid, async () => pct([type.replace(/^vz/, ''), id]));
}

/** Stopped half way it takes its lock away; killed half way it leaves the guest locked. */
async function backUp(vmid: number, say: (line: string) => void): Promise<Answer> {
  const guest = findGuest(vmid, Date.now());
  if (!guest) return refused(`unable to find VM '${vmid}'`);
  const lock = guest.config.values['lock'];
  if (lock !== undefined) return refused(`CT is locked (${lock})`);
  say(`INFO: starting new backup job: vzdump ${vmid}`);
  say(`INFO: Starting Backup of VM ${vmid} (lxc)`);
  const stopped = new Promise<'stopped'>((resolve) => {
    process.on('SIGTERM', () => resolve('stopped'));
  });
  writeConfig(vmid, { ...guest.config, values: { ...guest.config.values, lock: 'backup' } });
  const ended = await Promise.race([stopped, sleep(currentFaults().taskTakesMs)]);
  writeConfig(vmid, guest.config);
  if (ended === 'stopped') return refused('received interrupt');
  mkdirSync(DUMPS, { recursive: true });
  writeFileSync(`${DUMPS}/vzdump-lxc-${vmid}.tar.zst`, `backup of ${vmid}\n`);
  say(`INFO: Finished Backup of VM ${vmid}`);
  say('INFO: Backup job finished successfully');
  return SILENT;
}
