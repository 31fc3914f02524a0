import type { Target } from '../shared/domain/target.ts';
import { normalise } from '../shared/gate/places.ts';
import { probe } from './probe.ts';
import type { HostSlot } from './ssh/transport.ts';

/**
 * What a Proxmox host is asked to learn which of its folders guests and shares may write: only
 * reads, each an everyday look to the gate. A file that is not there answers with nothing.
 */
export const WRITABLE_QUESTIONS = {
  guests: `grep -HE '^(hostname|net[0-9]+|rootfs|mp[0-9]+|lxc.mount.entry)[:=]' /etc/pve/lxc/*.conf`,
  storages: 'cat /etc/pve/storage.cfg',
  nfs: 'cat /etc/exports /etc/exports.d/*.exports',
  samba: `grep -E '^[[:space:]]*path[[:space:]]*=' /etc/samba/smb.conf`,
  zfs: 'zfs list -H -t filesystem -o name,mountpoint,sharenfs,sharesmb',
} as const;
export type WritableQuestion = keyof typeof WRITABLE_QUESTIONS;
export type WritableAnswers = Readonly<Record<WritableQuestion, string>>;

/** @returns undefined when the host did not answer each of them. */
export async function askWritable(
  slot: HostSlot,
  host: Target,
): Promise<WritableAnswers | undefined> {
  const answers = { guests: '', storages: '', nfs: '', samba: '', zfs: '' };
  for (const question of Object.keys(answers) as WritableQuestion[]) {
    const answer = await probe(slot, host, WRITABLE_QUESTIONS[question]);
    if (answer.kind !== 'answered') return undefined;
    answers[question] = answer.stdout;
  }
  return answers;
}

/** Absolute folders of the host, sorted, none below another. */
export function guestWritable(answers: WritableAnswers): string[] {
  const found = [
    ...guestSources(answers.guests),
    ...storageFolders(answers.storages),
    ...exportedFolders(answers.nfs),
    ...sambaFolders(answers.samba),
    ...sharedDatasets(answers.zfs),
  ].map(normalise);
  const folders = [...new Set(found)].filter((path) => path !== '/').toSorted();
  return folders.filter((path) => !folders.some((above) => path.startsWith(`${above}/`)));
}

/** The fixed addresses of each container of the host, by its id. */
export function guestAddresses(answer: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  for (const line of answer.split('\n')) {
    const [, vmid, value] = /\/(\d+)\.conf:net\d+: (.*)$/.exec(line) ?? [];
    if (vmid === undefined || value === undefined) continue;
    const fixed = [...value.matchAll(/(?:^|,)ip6?=([0-9a-f.:]+)\//gi)].map(([, ip = '']) => ip);
    found.set(Number(vmid), [...(found.get(Number(vmid)) ?? []), ...fixed]);
  }
  return found;
}

/** `mp0: /tank/media,mp=/media` and raw entries; volumes lie in the folders of their storage. */
function guestSources(answer: string): string[] {
  return answer.split('\n').flatMap((line) => {
    const [, source] =
      /\.conf:(?:(?:rootfs|mp\d+): |lxc\.mount\.entry ?[:=] *)(\/[^,\s]*)/.exec(line) ?? [];
    return source === undefined ? [] : [source];
  });
}

interface Storage {
  readonly type: string;
  readonly id: string;
  readonly values: ReadonlyMap<string, string>;
}

function storageFolders(answer: string): string[] {
  return storagesOf(answer).flatMap(foldersOfStorage);
}

function storagesOf(answer: string): Storage[] {
  return answer.split(/\n(?=\S)/).flatMap((section) => {
    const [head = '', ...lines] = section.split('\n');
    const [, type, id] = /^(\w+): *(\S+)/.exec(head) ?? [];
    if (type === undefined || id === undefined) return [];
    const values = lines.flatMap((line) => {
      const [, key, value] = /^\s+(\S+)\s+(.*\S)/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    });
    return [{ type, id, values: new Map(values) }];
  });
}

/** Where Proxmox keeps the volumes of a storage; what others export is theirs to write as a whole. */
function foldersOfStorage({ type, id, values }: Storage): string[] {
  const path = values.get('path');
  switch (type) {
    case 'zfspool':
      return [values.get('mountpoint') ?? `/${values.get('pool') ?? id}`];
    case 'dir':
    case 'btrfs':
      return path === undefined ? [] : [`${path}/images`, `${path}/private`];
    case 'nfs':
    case 'cifs':
    case 'cephfs':
    case 'glusterfs':
      return [path ?? `/mnt/pve/${id}`];
    default:
      return [];
  }
}

/** exports(5): the path comes first, in quotes or with octal escapes where it holds a space. */
function exportedFolders(answer: string): string[] {
  return answer
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => {
      const [, quoted, bare] = /^\s*(?:"(\/[^"]*)"|(\/\S*))/.exec(line) ?? [];
      const path = quoted ?? bare;
      return path === undefined
        ? []
        : [
            path.replaceAll(/\\([0-7]{3})/g, (_all, code) =>
              String.fromCharCode(parseInt(code, 8)),
            ),
          ];
    });
}

/** smb.conf(5): from a variable such as %U on, the folder above it stands for all it can be. */
function sambaFolders(answer: string): string[] {
  return answer.split('\n').flatMap((line) => {
    const [, value] = /^\s*path\s*=\s*"?(\/[^"]*?)"?\s*$/.exec(line) ?? [];
    if (value === undefined) return [];
    return [value.includes('%') ? value.replace(/\/[^/%]*%.*$/, '') : value];
  });
}

/** Datasets that are guest volumes wherever they are mounted, and those that ZFS itself shares. */
function sharedDatasets(answer: string): string[] {
  return answer.split('\n').flatMap((line) => {
    const [name = '', mountpoint = '', ...shares] = line.split('\t');
    if (!mountpoint.startsWith('/')) return [];
    const isShared = shares.some((share) => share !== 'off' && share !== '-');
    return isShared || /\/subvol-\d+-disk-\d+$/.test(name) ? [mountpoint] : [];
  });
}
