/** The folders of a lab host on disk, and writing them new. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { ALL_TOOLS, buildContainer, buildRoot, HOST_TOOLS } from '../proxmox/root-tree.ts';
import { type ContainerSeed, HOST_UNITS } from '../proxmox/seed.ts';
import { giveToOwner, type LabOwner } from './owner.ts';

export interface Layout {
  readonly dir: string;
  readonly name: string;
  /** The lab host's `/`. */
  readonly root: string;
  /** Its /usr/local. */
  readonly local: string;
  /** Keys, sshd's configuration, the way in. */
  readonly control: string;
  /** An empty folder of the machine under which the lab is put together, unseen by anybody else. */
  readonly stage: string;
}

const SCRIPTS = ['confine.sh', 'host-init.sh'];
const CONTAINER_SCRIPTS = ['container.sh', 'container-init.sh', 'monitor.sh'];
/** The stand-in's own sources. */
export const PROXMOX_SOURCE = `${import.meta.dirname}/../proxmox`;

export function layoutOf(dir: string, name: string): Layout {
  const stage = pickStage([dir, PROXMOX_SOURCE, process.execPath]);
  return {
    dir,
    name,
    root: `${dir}/root`,
    local: `${dir}/local`,
    control: `${dir}/control`,
    stage,
  };
}

/** The stage hides what lies below it, so nothing that is needed may. */
export function pickStage(needed: readonly string[]): string {
  const stage = ['/mnt', '/media', '/srv'].find(
    (folder) => existsSync(folder) && !needed.some((path) => path.startsWith(`${folder}/`)),
  );
  if (stage === undefined) throw new Error('no folder is free to put the lab together in');
  return stage;
}

/** Throws the old state away. */
export function writeState(
  layout: Layout,
  owner: LabOwner,
  containers: readonly ContainerSeed[],
): void {
  for (const folder of [layout.root, layout.local]) {
    rmSync(folder, { recursive: true, force: true });
  }
  buildRoot({
    root: layout.root,
    local: layout.local,
    hostname: layout.name,
    units: HOST_UNITS,
    files: {},
    tools: HOST_TOOLS,
  });
  for (const kind of ['lxc', 'qemu-server']) {
    mkdirSync(`${layout.root}/etc/pve/nodes/${layout.name}/${kind}`, { recursive: true });
  }
  // As on a real node, where pmxcfs has it.
  symlinkSync(`nodes/${layout.name}/lxc`, `${layout.root}/etc/pve/lxc`);
  for (const seed of containers) buildContainer(layout.root, layout.name, seed);
  writeLibrary(`${layout.local}/lib/lab`);
  giveToOwner(layout.root, owner);
  giveToOwner(layout.local, owner);
}

/** The folder of sshd: the way in and the one account. Keys are made by others. */
export function writeControl(layout: Layout, owner: LabOwner): void {
  mkdirSync(layout.control, { recursive: true });
  const enter = readFileSync(`${import.meta.dirname}/enter.sh`, 'utf8');
  writeExecutable(`${layout.control}/enter`, enter.replaceAll('STAGE', layout.stage));
  const account = `root:x:${owner.uid}:${owner.gid}:lab:/:${layout.stage}/control/enter`;
  writeFileSync(`${layout.control}/passwd`, `${account}\nnobody:x:65534:65534::/:/bin/false\n`);
  // Not the machine's: there root may be locked, which sshd would take to heart.
  writeFileSync(`${layout.control}/shadow`, 'root:*:20000:0:99999:7:::\n');
}

function writeLibrary(library: string): void {
  mkdirSync(`${library}/tools`, { recursive: true });
  mkdirSync(`${library}/proxmox`);
  writeFileSync(`${library}/node`, '');
  writeFileSync(`${library}/package.json`, '{ "type": "module" }\n');
  for (const name of SCRIPTS) copyFileSync(`${import.meta.dirname}/${name}`, `${library}/${name}`);
  for (const name of CONTAINER_SCRIPTS)
    copyFileSync(`${PROXMOX_SOURCE}/${name}`, `${library}/${name}`);
  for (const tool of ALL_TOOLS) {
    writeExecutable(
      `${library}/tools/${tool}`,
      `#!/bin/sh\nexec /usr/local/lib/lab/node /usr/local/lib/lab/proxmox/main.ts ${tool} "$@"\n`,
    );
  }
}

function writeExecutable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}
