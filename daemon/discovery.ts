import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { upsertEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import type { Dialect } from '../shared/domain/dialect.ts';
import type { Target } from '../shared/domain/target.ts';
import type { Log } from '../shared/log.ts';
import type { OwnMachine } from '../shared/own-place.ts';
import type { Fleet, FleetGuest } from './fleet.ts';
import { askWritable, guestAddresses, guestWritable } from './guest-writable.ts';
import { type ProbeAnswer, probe } from './probe.ts';
import type { HostSlot, Transport } from './ssh/transport.ts';

export interface DiscoveryDeps {
  readonly db: Db;
  readonly transport: Transport;
  /** Of this site only. */
  readonly fleet: Fleet;
  /** The daemon's own machine, to see whether it is one of the guests. */
  readonly own: OwnMachine;
  readonly log: Pick<Log, 'info' | 'debug'>;
}

export interface Discovery {
  /** True unless the host's `pct exec` was seen not to know --keep-env: then it fails, and starts nothing. */
  keepEnvOption(hostSlug: string): boolean;
  /** Asks every host and guest of which nothing is known, or nothing fresh. Rounds take turns. */
  run(): Promise<void>;
  /** After a run that may have changed what is known of its places: they count as not asked. */
  noteEnded(row: EndedRun): void;
  /** No further round; the one in hand is not waited for. */
  close(): void;
}

type EndedRun = Pick<ExecutionRow, 'risk' | 'status' | 'exitCode' | 'targetSlug' | 'guests'>;

/** The one question about the shell; asked of hosts and guests alike. */
export const SHELL_QUESTION = 'test -x /bin/bash';
/** No guest has id 0: where the option is known the answer complains of the id, else of the option. */
export const KEEP_ENV_QUESTION = 'pct exec 0 --keep-env 0 -- true';

/** Others change machines too: what was learnt longer ago is asked again. */
const FRESH_MS = 10 * 60_000;

/** Learns what the gate must know of a place before it can judge commands there (K2, K17). */
export function createDiscovery({ db, transport, fleet, own, log }: DiscoveryDeps): Discovery {
  const learnt = new Map<string, { readonly at: Date; readonly shell: Dialect }>();
  const withoutKeepEnv = new Set<string>();
  let closed = false;
  let rounds: Promise<void> = Promise.resolve();

  const isFresh = (slug: string, now: Date) => {
    const at = learnt.get(slug)?.at;
    return at !== undefined && now.getTime() - at.getTime() < FRESH_MS;
  };

  const remember = async (target: Target, attributes: Record<string, unknown>) => {
    const { kind: type, slug, name } = target;
    await upsertEntity(db, { type, slug, name, state: 'active', attributes }, await readNow(db));
  };

  const askShell = async (slot: HostSlot, target: Target, now: Date, keepEnvOption = true) => {
    const answer = await probe(slot, target, SHELL_QUESTION, { keepEnvOption });
    const shell = shellFrom(answer);
    if (shell === undefined) {
      log.debug({ target: target.slug, answer }, 'shell not learnt');
      return;
    }
    const before = learnt.get(target.slug)?.shell;
    learnt.set(target.slug, { at: now, shell });
    await remember(target, { shell });
    if (shell !== before) log.info({ target: target.slug, shell }, 'shell learnt');
  };

  const askHost = async (slot: HostSlot, host: Target, now: Date) => {
    const keepEnv = await probe(slot, host, KEEP_ENV_QUESTION);
    if (keepEnv.kind === 'answered' && /unknown option/i.test(keepEnv.stderr + keepEnv.stdout)) {
      withoutKeepEnv.add(host.slug);
    }
    const answers = await askWritable(slot, host);
    // What one of them did not answer would look like a folder that nobody writes to.
    if (!answers) return;
    await remember(host, { guestWritable: guestWritable(answers) });
    const addresses = guestAddresses(answers.guests);
    for (const guest of fleet.guests.filter((one) => one.host === host.slug)) {
      const looksOwn = resembles(own, guest, addresses.get(guest.vmid) ?? []);
      await remember(targetFor(guest), { looksOwn });
    }
    await askShell(slot, host, now);
  };

  const askPlace = async (hostSlug: string, now: Date) => {
    const guests = guestsOf(fleet, hostSlug).filter(({ slug }) => !isFresh(slug, now));
    const host: Target = { kind: 'host', slug: hostSlug, name: hostSlug.replace(/^host:/, '') };
    const askHostToo = !isFresh(hostSlug, now);
    if (guests.length === 0 && !askHostToo) return;
    const reserved = await transport.reserve(hostSlug);
    if (!reserved.ok) {
      log.debug({ host: hostSlug, trouble: reserved.trouble }, 'host not asked');
      return;
    }
    try {
      if (askHostToo) await askHost(reserved.slot, host, now);
      for (const guest of guests) {
        await askShell(reserved.slot, targetFor(guest), now, !withoutKeepEnv.has(hostSlug));
      }
    } finally {
      reserved.slot.release();
    }
  };

  const round = async () => {
    if (closed) return;
    const now = await readNow(db);
    await Promise.all(fleet.hosts.map(({ slug }) => askPlace(slug, now)));
  };

  return {
    keepEnvOption: (hostSlug) => !withoutKeepEnv.has(hostSlug),
    run() {
      const next = rounds.then(round);
      rounds = next.catch(() => undefined);
      return next;
    },
    noteEnded(row) {
      for (const slug of doubtfulPlaces(row)) learnt.delete(slug);
    },
    close() {
      closed = true;
    },
  };
}

/** 127 or 126 says env in a guest where bash is missing or cannot run; a host then starts nothing. */
const NO_SHELL: readonly (number | null)[] = [126, 127, null];

/** Places whose shell or mounts a run may have changed, or whose shell was not where it was thought to be. */
export function doubtfulPlaces(row: EndedRun): readonly string[] {
  const foundNoShell = row.status === 'failed' && NO_SHELL.includes(row.exitCode);
  if (row.risk === 'read_only' && !foundNoShell) return [];
  const guests = row.guests.flatMap(({ slug }) => (slug === null ? [] : [slug]));
  return [row.targetSlug, ...guests];
}

function guestsOf(fleet: Fleet, host: string): FleetGuest[] {
  return fleet.guests.filter((guest) => guest.host === host && guest.kind === 'lxc');
}

function targetFor({ kind, slug, name, host, vmid }: FleetGuest): Target {
  return { kind, slug, name, host, vmid };
}

/** A hint for people, nothing that the gate goes by. */
function resembles(own: OwnMachine, guest: FleetGuest, addresses: readonly string[]): boolean {
  return (
    guest.name.toLowerCase() === own.hostname ||
    addresses.some((address) => own.addresses.includes(address.toLowerCase()))
  );
}

/** Only 0 and 1 are answers of `test`: a stopped guest or a missing pct says something else. */
export function shellFrom(answer: ProbeAnswer): Dialect | undefined {
  if (answer.kind !== 'answered') return undefined;
  if (answer.code === 0) return 'bash';
  return answer.code === 1 && answer.stderr === '' ? 'posix' : undefined;
}
