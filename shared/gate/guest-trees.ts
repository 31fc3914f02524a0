import type { GateFacts } from './facts.ts';

interface GuestTree {
  readonly why: string;
  /** How to ask for the same without following a guest's links. */
  readonly safer: string;
}

const CONTAINER = /^(?:\/var\/lib\/lxc\/(\d+)\/rootfs|.*\/subvol-(\d+)-disk-\d+)(\/.*)?$/;
const PROCESS = /^\/proc\/[^/]+\/(task\/[^/]+\/)?(root|cwd)(\/|$)/;
const VOLUME = /^\/var\/lib\/(docker|containers)\/(storage\/)?(volumes|overlay2?|containers)\//;
const WORLD =
  /^\/(tmp|var\/tmp|dev\/shm|run\/shm|run\/lock|var\/lock|run\/user\/\d+|var\/crash|var\/spool\/samba)\//;

/**
 * Why the contents of a file on a host are no plain read: others than the host's own root may write
 * there, and could have put a link to a secret of the host. Names and sizes stay a plain look.
 */
export function guestTree(path: string, facts: GateFacts): GuestTree | undefined {
  if (facts.targetKind !== 'host') return undefined;
  const tree = `${path}/`;
  const container = CONTAINER.exec(path);
  if (container) {
    const id = container[1] ?? container[2];
    return {
      why: `guest ${id} may write there and could point it at a file of the host`,
      safer: `pct exec ${id} -- cat ${container[3] ?? '/'}`,
    };
  }
  if (PROCESS.test(tree) || VOLUME.test(tree)) {
    return {
      why: 'a guest or container may write there and could point it at a file of the host',
      safer: 'ask inside the guest or container',
    };
  }
  if (WORLD.test(tree) || facts.guestWritable?.some((own) => tree.startsWith(`${own}/`))) {
    return {
      why: 'others may write there and could point it at a file of the host',
      safer: 'list it with ls -l, or ask inside the guest',
    };
  }
  return undefined;
}
