import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetHost } from '../fleet.ts';
import { ConfinementUnavailable, SshServerMissing } from '../host/errors.ts';
import { startLabHost } from '../host/lab-host.ts';
import { requireConfinement } from '../host/namespace.ts';
import { labOwner } from '../host/owner.ts';
import { findSshd } from '../host/sshd.ts';
import { startStateHost } from '../state/server.ts';
import { furnish } from './furnish.ts';

/** How the lab's hosts answer: by running commands in a confinement, or from state alone. */
export type LabForm =
  | { readonly kind: 'namespaces' }
  | { readonly kind: 'state'; readonly reason: string };

export interface LabHosts {
  readonly hosts: readonly FleetHost[];
  /** Everything on them as it was at first; addresses and keys stay. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** What this machine and user allow; tried, not guessed. */
export async function labForm(): Promise<LabForm> {
  if (process.platform !== 'linux') return { kind: 'state', reason: 'this is not Linux' };
  try {
    findSshd();
    await requireConfinement(labOwner(process.getuid?.() ?? -1, process.getgid?.() ?? -1));
    return { kind: 'namespaces' };
  } catch (error) {
    if (error instanceof SshServerMissing) {
      return { kind: 'state', reason: 'no sshd is installed (Debian: apt install openssh-server)' };
    }
    if (error instanceof ConfinementUnavailable) {
      return { kind: 'state', reason: `this user may make no namespaces: ${error.reason}` };
    }
    throw error;
  }
}

/** The first line of a demo. */
export function formLine(form: LabForm): string {
  return form.kind === 'namespaces'
    ? 'Form of the lab: namespaces. Commands on its two hosts and five containers really run, confined: they see nothing of your machine but /usr, read-only.'
    : `Form of the lab: pure state (${form.reason}). Its hosts answer from a model of themselves; nothing runs on your machine.`;
}

/** Two hosts: `lab` with the containers, `attic` with a disk that is full. */
export async function startHosts(dir: string, form: LabForm): Promise<LabHosts> {
  const wanted = [
    { name: 'lab', hasContainers: true },
    { name: 'attic', hasContainers: false },
  ];
  const started = await Promise.allSettled(
    wanted.map(({ name, hasContainers }) =>
      form.kind === 'namespaces'
        ? startConfined(join(dir, name), name, hasContainers)
        : startStateHost({ dir: join(dir, `${name}-state`), name, hasContainers }),
    ),
  );
  const hosts = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => {
    await Promise.all(hosts.map((host) => host.stop()));
  };
  const failure = started.find((one) => one.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  return {
    hosts,
    stop,
    reset: async () => {
      // One after the other: the number of a namespace that one host gave up may be the next one's,
      // and the end of the first would kill it.
      for (const host of hosts) await host.renew();
    },
  };
}

interface DemoHost extends FleetHost {
  stop(): Promise<void>;
  renew(): Promise<void>;
}

async function startConfined(dir: string, name: string, hasContainers: boolean): Promise<DemoHost> {
  const host = await startLabHost({ dir, name, ...(hasContainers ? {} : { containers: [] }) });
  try {
    await furnish(host, hasContainers, new Date());
    return {
      // By hand: the fields of a lab host are getters that a spread would freeze.
      name,
      address: host.address,
      port: host.port,
      user: host.user,
      privateKeyPath: host.privateKeyPath,
      hostKeyFingerprint: host.hostKeyFingerprint,
      stop: () => host.stop(),
      renew: async () => {
        await host.reset();
        await furnish(host, hasContainers, new Date());
      },
    };
  } catch (error) {
    await host.stop();
    throw error;
  }
}

/** Whether an earlier demo left anything in this folder. */
export function hasHistory(dir: string): boolean {
  return existsSync(join(dir, 'secrets.json'));
}
