/** Writes the root directory of the lab host or of one of its containers; /usr comes by mount later. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { formatGuestConfig } from './guest-config.ts';
import type { ContainerSeed, UnitSeed } from './seed.ts';

export interface RootPlan {
  /** The future `/`. */
  readonly root: string;
  /** The future /usr/local, which hides the machine's. */
  readonly local: string;
  readonly hostname: string;
  readonly units: Readonly<Record<string, UnitSeed>>;
  readonly files: Readonly<Record<string, string>>;
  /** Stand-ins reachable from the search path. */
  readonly tools: readonly string[];
}

const POWER_TOOLS = ['reboot', 'poweroff', 'halt', 'shutdown', 'init'] as const;
export const CONTAINER_TOOLS = ['systemctl', 'journalctl', ...POWER_TOOLS] as const;
export const HOST_TOOLS = [
  ...CONTAINER_TOOLS,
  'pct',
  'pvesh',
  'qm',
  'vzdump',
  'pveversion',
] as const;
/** Every stand-in there is: those that the machine has itself are hidden behind them. */
export const ALL_TOOLS = [...HOST_TOOLS, 'nginx'] as const;

const FOLDERS = [
  'dev',
  'etc/lab/units',
  'home',
  'media',
  'mnt',
  'opt',
  'persistent',
  'proc',
  'root',
  'run',
  'srv',
  'sys',
  'tmp',
  'usr',
  'var/cache',
  'var/lib/lab',
  'var/lock',
  'var/log',
  'var/spool',
  'var/tmp',
];
/** On most systems links into /usr, on others folders that the confinement mounts. */
const LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
/** Public files of the machine without which its programs do not run or look odd. */
const COPIES = [
  'etc/alternatives',
  'etc/debian_version',
  'etc/ld.so.cache',
  'etc/os-release',
  'etc/protocols',
  'etc/services',
];

const DF = `#!/bin/sh
# The device nodes of the lab are mounts of their own, which df would list.
exec /usr/bin/df -x devtmpfs "$@"
`;

export function buildRoot(plan: RootPlan): void {
  for (const folder of FOLDERS) mkdirSync(`${plan.root}/${folder}`, { recursive: true });
  for (const name of LINKS) mirrorTopFolder(plan.root, name);
  for (const path of COPIES) {
    if (existsSync(`/${path}`)) {
      cpSync(`/${path}`, `${plan.root}/${path}`, {
        recursive: true,
        verbatimSymlinks: lstatSync(`/${path}`).isDirectory(),
        dereference: !lstatSync(`/${path}`).isDirectory(),
      });
    }
  }
  for (const [path, text] of Object.entries({ ...accounts(plan.hostname), ...plan.files })) {
    write(`${plan.root}${path}`, text);
  }
  for (const [name, unit] of Object.entries(plan.units)) {
    write(`${plan.root}/etc/lab/units/${name}.json`, `${JSON.stringify(unit, undefined, 2)}\n`);
  }
  buildLocal(plan.local, plan.tools);
}

/** Root directory and configuration of a container, below the given host root ('' inside the lab). */
export function buildContainer(hostRoot: string, node: string, seed: ContainerSeed): void {
  const folder = `${hostRoot}/var/lib/lxc/${seed.vmid}`;
  buildRoot({
    root: `${folder}/rootfs`,
    local: `${folder}/local`,
    hostname: seed.name,
    units: seed.units,
    files: seed.files,
    tools: 'nginx' in seed.units ? [...CONTAINER_TOOLS, 'nginx'] : CONTAINER_TOOLS,
  });
  write(
    `${hostRoot}/etc/pve/nodes/${node}/lxc/${seed.vmid}.conf`,
    formatGuestConfig({ values: seed.config, description: [], snapshots: {} }),
  );
}

function buildLocal(local: string, tools: readonly string[]): void {
  for (const folder of ['bin', 'etc', 'lib/lab', 'sbin', 'share', 'src']) {
    mkdirSync(`${local}/${folder}`, { recursive: true });
  }
  for (const tool of tools) symlinkSync(`../lib/lab/tools/${tool}`, `${local}/sbin/${tool}`);
  write(`${local}/bin/df`, DF);
  chmodSync(`${local}/bin/df`, 0o755);
}

function mirrorTopFolder(root: string, name: string): void {
  if (!existsSync(`/${name}`)) return;
  if (lstatSync(`/${name}`).isSymbolicLink()) {
    symlinkSync(readlinkSync(`/${name}`), `${root}/${name}`);
  } else {
    mkdirSync(`${root}/${name}`);
  }
}

function accounts(hostname: string): Record<string, string> {
  return {
    '/etc/passwd': [
      'root:x:0:0:root:/root:/bin/bash',
      'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin',
      'www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin',
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
      '',
    ].join('\n'),
    '/etc/group': 'root:x:0:\ndaemon:x:1:\ntty:x:5:\nwww-data:x:33:\nnogroup:x:65534:\n',
    '/etc/shadow': 'root:*:20000:0:99999:7:::\n',
    '/etc/hostname': `${hostname}\n`,
    '/etc/hosts': `127.0.0.1 localhost\n127.0.1.1 ${hostname}\n`,
    '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n',
    '/etc/fstab': '',
    '/etc/timezone': 'Etc/UTC\n',
    '/var/log/lab-journal': '',
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
