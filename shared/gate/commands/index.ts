import type { Program } from '../rule.ts';
import { ACCOUNTS } from './accounts.ts';
import { ARCHIVES } from './archives.ts';
import { BACKUPS } from './backups.ts';
import { BUILTINS } from './builtins.ts';
import { COMPOSE } from './compose.ts';
import { DATABASES } from './databases.ts';
import { DISKS } from './disks.ts';
import { DOCKER } from './docker.ts';
import { FILES } from './files.ts';
import { FIND } from './find.ts';
import { FIREWALL } from './firewall.ts';
import { GIT } from './git.ts';
import { HARDWARE } from './hardware.ts';
import { HOMELAB } from './homelab.ts';
import { INCUS } from './incus.ts';
import { KEY_STORES } from './key-stores.ts';
import { KUBERNETES } from './kubernetes.ts';
import { LANGUAGES } from './languages.ts';
import { LOAD } from './load.ts';
import { LOOKUPS } from './lookups.ts';
import { withLosses } from './losses.ts';
import { LXC } from './lxc.ts';
import { NETWORK } from './network.ts';
import { OVERWRITING } from './overwriting.ts';
import { PACKAGES } from './packages.ts';
import { PROCESSES } from './processes.ts';
import { PROXMOX } from './proxmox.ts';
import { PROXMOX_BACKUP } from './proxmox-backup.ts';
import { PROXMOX_GUESTS } from './proxmox-guests.ts';
import { MACHINE_QUESTIONS } from './questions-machine.ts';
import { MORE_QUESTIONS } from './questions-more.ts';
import { SERVICE_QUESTIONS } from './questions-services.ts';
import { SERVICES } from './services.ts';
import { SHARES } from './shares.ts';
import { SYSTEM } from './system.ts';
import { SYSTEMD } from './systemd.ts';
import { SYSTEMD_TOOLS } from './systemd-tools.ts';
import { TEXT } from './text.ts';
import { VOLUMES } from './volumes.ts';
import { WEB } from './web.ts';
import { WRAPPERS } from './wrappers.ts';
import { ZFS } from './zfs.ts';

/** Everything the gate knows about programs. A name may stand in one family only. */
export const PROGRAMS: readonly Program[] = withLosses([
  ...ACCOUNTS,
  ...ARCHIVES,
  ...BACKUPS,
  ...BUILTINS,
  ...DATABASES,
  ...DISKS,
  ...DOCKER,
  ...FILES,
  ...FIND,
  ...GIT,
  ...KEY_STORES,
  ...KUBERNETES,
  ...LANGUAGES,
  ...HOMELAB,
  ...MACHINE_QUESTIONS,
  ...SERVICE_QUESTIONS,
  ...INCUS,
  ...LXC,
  ...NETWORK,
  ...OVERWRITING,
  ...PACKAGES,
  ...PROCESSES,
  ...PROXMOX,
  ...PROXMOX_BACKUP,
  ...SERVICES,
  ...SYSTEM,
  ...SYSTEMD,
  ...SYSTEMD_TOOLS,
  ...TEXT,
  ...WEB,
  ...WRAPPERS,
  ...COMPOSE,
  ...VOLUMES,
  ...LOOKUPS,
  ...FIREWALL,
  ...SHARES,
  ...PROXMOX_GUESTS,
  ...LOAD,
  ...HARDWARE,
  ...ZFS,
  ...MORE_QUESTIONS,
]);
