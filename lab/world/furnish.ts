import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabHost } from '../host/lab-host.ts';
import { formatEntryLine, parseJournal } from '../proxmox/journal.ts';
import { CONTAINERS } from '../proxmox/seed.ts';
import { APT_GET, FULL_DISK, NIGHTLY_DUMP, STORIES, type StoryLine } from './story.ts';

/** Puts the story into a lab host that has just come up. */
export async function furnish(host: LabHost, hasContainers: boolean, now: Date): Promise<void> {
  const places = hasContainers
    ? [
        [host.name, host.stateDir] as const,
        ...CONTAINERS.map(
          ({ vmid }) =>
            [
              `${host.name}/${vmid}`,
              join(host.stateDir, 'var/lib/lxc', `${vmid}`, 'rootfs'),
            ] as const,
        ),
      ]
    : [[host.name, host.stateDir] as const];
  // Only the host with the containers mirrors backups.
  const absent = hasContainers ? [] : ['backup-mirror.service'];
  for (const [place, root] of places) {
    await tell(join(root, 'var/log/lab-journal'), STORIES[place] ?? [], now, absent);
  }
  if (hasContainers) await bringAptGet(host);
  else await fillDisk(host);
}

/** The story comes before what the boot has written. */
async function tell(
  path: string,
  story: readonly StoryLine[],
  now: Date,
  without: readonly string[] = [],
): Promise<void> {
  if (story.length === 0) return;
  const told = story.map(({ minutesAgo, ...entry }, index) => ({
    ...entry,
    atMs: now.getTime() - minutesAgo * 60_000,
    pid: 700 + index,
  }));
  const written = parseJournal(await readFile(path, 'utf8'));
  const booted = written.filter(({ unit }) => !without.includes(unit));
  await writeFile(path, [...told, ...booted].map(formatEntryLine).join(''));
}

async function bringAptGet(host: LabHost): Promise<void> {
  for (const { vmid } of CONTAINERS) {
    const path = join(host.stateDir, 'var/lib/lxc', `${vmid}`, 'local/sbin/apt-get');
    await writeFile(path, APT_GET);
    await chmod(path, 0o755);
  }
}

async function fillDisk(host: LabHost): Promise<void> {
  const unit = join(host.stateDir, 'etc/lab/units/nightly-dump.json');
  await writeFile(unit, JSON.stringify(NIGHTLY_DUMP));
  const { code, stderr } = await host.run(
    `${FULL_DISK}\nrm -f /etc/lab/units/backup-mirror.json /run/lab/units/backup-mirror.service`,
  );
  if (code !== 0) throw new Error(`the full disk of ${host.name} could not be made: ${stderr}`);
}
