import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { upsertEntity } from '../shared/db/entities.ts';
import type { Dialect } from '../shared/domain/dialect.ts';
import type { Target } from '../shared/domain/target.ts';
import type { Log } from '../shared/log.ts';
import type { Fleet } from './fleet.ts';
import { type ProbeAnswer, probe } from './probe.ts';
import type { HostSlot, Transport } from './ssh/transport.ts';

export interface DiscoveryDeps {
  readonly db: Db;
  readonly transport: Transport;
  /** Of this site only. */
  readonly fleet: Fleet;
  readonly log: Pick<Log, 'info' | 'debug'>;
}

export interface Discovery {
  /** True unless the host's `pct exec` was seen not to know --keep-env: then it fails, and starts nothing. */
  keepEnvOption(hostSlug: string): boolean;
  /** Asks every host and guest whose shell is not known yet. */
  run(): Promise<void>;
}

/** The one question about the shell; asked of hosts and guests alike. */
export const SHELL_QUESTION = 'test -x /bin/bash';
/** No guest has id 0: where the option is known the answer complains of the id, else of the option. */
export const KEEP_ENV_QUESTION = 'pct exec 0 --keep-env 0 -- true';

/** Learns what the gate must know of a place before it can judge commands as bash (K2, K17). */
export function createDiscovery({ db, transport, fleet, log }: DiscoveryDeps): Discovery {
  const known = new Set<string>();
  const withoutKeepEnv = new Set<string>();

  const remember = async (target: Target, answer: ProbeAnswer) => {
    const shell = shellFrom(answer);
    if (shell === undefined) {
      log.debug({ target: target.slug, answer }, 'shell not learnt');
      return;
    }
    known.add(target.slug);
    const { kind: type, slug, name } = target;
    const facts = { type, slug, name, state: 'active', attributes: { shell } };
    await upsertEntity(db, facts, await readNow(db));
    log.info({ target: slug, shell }, 'shell learnt');
  };

  const askHost = async (slot: HostSlot, host: Target) => {
    if (known.has(host.slug)) return;
    const keepEnv = await probe(slot, host, KEEP_ENV_QUESTION);
    if (keepEnv.kind === 'answered' && /unknown option/i.test(keepEnv.stderr + keepEnv.stdout)) {
      withoutKeepEnv.add(host.slug);
    }
    await remember(host, await probe(slot, host, SHELL_QUESTION));
  };

  const askPlace = async (hostSlug: string) => {
    const guests = guestsOf(fleet, hostSlug);
    const host: Target = { kind: 'host', slug: hostSlug, name: hostSlug.replace(/^host:/, '') };
    if ([host, ...guests].every(({ slug }) => known.has(slug))) return;
    const reserved = await transport.reserve(hostSlug);
    if (!reserved.ok) {
      log.debug({ host: hostSlug, trouble: reserved.trouble }, 'host not asked');
      return;
    }
    try {
      await askHost(reserved.slot, host);
      for (const guest of guests.filter(({ slug }) => !known.has(slug))) {
        const keepEnv = !withoutKeepEnv.has(hostSlug);
        await remember(guest, await probe(reserved.slot, guest, SHELL_QUESTION, keepEnv));
      }
    } finally {
      reserved.slot.release();
    }
  };

  return {
    keepEnvOption: (hostSlug) => !withoutKeepEnv.has(hostSlug),
    async run() {
      await Promise.all(fleet.hosts.map(({ slug }) => askPlace(slug)));
    },
  };
}

function guestsOf(fleet: Fleet, host: string): Target[] {
  return fleet.guests
    .filter((guest) => guest.host === host && guest.kind === 'lxc')
    .map(({ kind, slug, name, vmid }) => ({ kind, slug, name, host, vmid }));
}

/** Only 0 and 1 are answers of `test`: a stopped guest or a missing pct says something else. */
export function shellFrom(answer: ProbeAnswer): Dialect | undefined {
  if (answer.kind !== 'answered') return undefined;
  if (answer.code === 0) return 'bash';
  return answer.code === 1 && answer.stderr === '' ? 'posix' : undefined;
}
