import { KEEP_ENV_QUESTION, SHELL_QUESTION } from '../../daemon/discovery.ts';
import type { FleetHost } from '../../daemon/fleet.ts';
import { type ProbeAnswer, probe } from '../../daemon/probe.ts';
import type { ReadFile } from '../../daemon/ssh/connect.ts';
import type { HostTrouble } from '../../daemon/ssh/hosts.ts';
import { createSshPool } from '../../daemon/ssh/pool.ts';
import type { HostSlot } from '../../daemon/ssh/transport.ts';
import type { Target } from '../../shared/domain/target.ts';
import { type FoundGuest, readGuests } from './found-guests.ts';
import { type HostKey, readHostKey } from './host-key.ts';

export interface LookOptions {
  readonly connectMs: number;
  readonly readFile: ReadFile;
}

/** What a host shows before anybody logs in. */
export interface Shown {
  /** Undefined when the connection did not come so far. */
  readonly key: HostKey | undefined;
  /** Undefined when the login worked. */
  readonly trouble: HostTrouble | undefined;
  /** Undefined when there was no login, or no command could be started. */
  readonly facts: HostFacts | undefined;
  /** Why there are no facts although the login worked. */
  readonly reason: string | undefined;
}

/** What a host answered to fixed questions that change nothing. */
export interface HostFacts {
  readonly uid: number | undefined;
  /** Proxmox calls a node by its host's short name. */
  readonly node: string;
  readonly bash: boolean;
  /** Whether `sudo -n` works; undefined for root, who needs none. */
  readonly sudo: boolean | undefined;
  readonly pct: boolean;
  /** Whether `pct exec` knows --keep-env. */
  readonly keepEnv: boolean;
  /** Undefined on a plain host, or where Proxmox gave no list. */
  readonly guests: readonly FoundGuest[] | undefined;
}

/**
 * Connects as the daemon does and asks. The host's key must be pinned in `host`, or only the key
 * comes back: nobody logs in to a host whose key was not compared. `others` are the jump hosts.
 */
export async function lookAtHost(
  host: FleetHost,
  others: readonly FleetHost[],
  options: LookOptions,
): Promise<Shown> {
  const keys: HostKey[] = [];
  const pool = createSshPool({
    hosts: [...others.filter(({ slug }) => slug !== host.slug), host],
    ...options,
    onHostKey: (slug, blob) => {
      if (slug === host.slug) keys.push(readHostKey(blob));
    },
  });
  try {
    const reserved = await pool.reserve(host.slug);
    // A host may have been asked for each of its keys until it showed the pinned one.
    const key = keys.find((shown) => shown.fingerprint === host.hostKey) ?? keys[0];
    if (!reserved.ok)
      return { key, trouble: reserved.trouble, facts: undefined, reason: undefined };
    const asked = await askHost(reserved.slot, host);
    return { key, trouble: undefined, ...asked };
  } finally {
    pool.close();
  }
}

type Asked = Pick<Shown, 'facts' | 'reason'>;

async function askHost(slot: HostSlot, host: FleetHost): Promise<Asked> {
  const target: Target = { kind: 'host', slug: host.slug, name: host.slug.replace(/^host:/, '') };
  const ask = (command: string) => probe(slot, target, command);
  const first = await ask('id -u && uname -n');
  if (first.kind === 'unknown') return { facts: undefined, reason: first.reason };
  const [uidText = '', node = ''] = first.stdout.trim().split('\n');
  const uid = /^\d+$/.test(uidText) ? Number(uidText) : undefined;
  const pct = worked(await ask('command -v pct'));
  const facts: HostFacts = {
    uid,
    node: node.split('.')[0] ?? node,
    bash: worked(await ask(SHELL_QUESTION)),
    sudo: uid === 0 && !host.sudo ? undefined : host.sudo || worked(await ask('sudo -n true')),
    pct,
    keepEnv: pct && knowsOption(await ask(KEEP_ENV_QUESTION)),
    guests: pct ? guestsIn(await ask(GUESTS_QUESTION)) : undefined,
  };
  return { facts, reason: undefined };
}

const GUESTS_QUESTION = 'pvesh get /cluster/resources --type vm --output-format json';

function worked(answer: ProbeAnswer): boolean {
  return answer.kind === 'answered' && answer.code === 0;
}

function knowsOption(answer: ProbeAnswer): boolean {
  return answer.kind === 'answered' && !/unknown option/i.test(answer.stderr + answer.stdout);
}

function guestsIn(answer: ProbeAnswer): readonly FoundGuest[] | undefined {
  return answer.kind === 'answered' && answer.code === 0 ? readGuests(answer.stdout) : undefined;
}
