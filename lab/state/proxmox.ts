import { type Answer, printed, refused, SILENT } from '../proxmox/answer.ts';
import { formatConfigListing } from '../proxmox/guest-config.ts';
import { type PctCall, readPctCall } from '../proxmox/pct-usage.ts';
import { guestResource, sortedJson } from '../proxmox/resources.ts';
import { formatPctList, formatVerboseStatus } from '../proxmox/tables.ts';
import { guestsOf, type House } from './house.ts';

/** `pct` on the state alone. */
export function pct(house: House, args: readonly string[]): Answer {
  const call = readPctCall(args);
  if ('code' in call) return call;
  if (call.command === 'list') return printed(formatPctList(guestsOf(house)));
  const entry = house.guests.get(call.vmid);
  if (!entry) {
    const path = `nodes/${house.host.name}/lxc/${call.vmid}.conf`;
    return refused(`Configuration file '${path}' does not exist`, 2);
  }
  const { running } = entry;
  const set = (now: boolean, complaint: string): Answer => {
    if (running === now) return refused(`CT ${call.vmid} ${complaint}`);
    entry.running = now;
    return SILENT;
  };
  switch (call.command) {
    case 'status':
      return status(house, call);
    case 'config':
      return printed(formatConfigListing(entry.seed.config));
    case 'start':
      return set(true, 'already running');
    case 'stop':
    case 'shutdown':
      return set(false, 'not running');
    case 'reboot':
      return running ? SILENT : refused(`VM ${call.vmid} not running`);
    case 'destroy':
      if (running && call.options['force'] !== '1') {
        return refused(`unable to destroy CT ${call.vmid} - container is running`);
      }
      house.guests.delete(call.vmid);
      return SILENT;
    default:
      return refused(`pct ${call.command}: not in this lab`);
  }
}

function status(house: House, { vmid, options }: PctCall): Answer {
  const guest = guestsOf(house).find((candidate) => candidate.vmid === vmid);
  if (!guest) return SILENT;
  if (options['verbose'] === '1') return printed(formatVerboseStatus(guest));
  return printed(`status: ${guest.running ? 'running' : 'stopped'}\n`);
}

/** `pvesh get` of the two paths that discovery reads. */
export function pvesh(house: House, args: readonly string[]): Answer {
  const path = args.find((word) => word.startsWith('/'));
  if (args[0] === 'get' && path === '/cluster/resources') {
    return printed(`${sortedJson(guestsOf(house).map(guestResource))}\n`);
  }
  if (args[0] === 'get' && path === '/version') {
    return printed('{"release":"9.2","repoid":"14a22df3","version":"9.2.11"}\n');
  }
  return refused(`pvesh ${args.join(' ')}: not in this lab`, 1);
}
