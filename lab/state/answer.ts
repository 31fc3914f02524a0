import { type Answer, printed, refused, SILENT } from '../proxmox/answer.ts';
import { diskTable, type House, type Place } from './house.ts';
import { answerLook } from './look.ts';
import { pct, pvesh } from './proxmox.ts';
import { journalctl, systemctl } from './services.ts';
import { simpleWords } from './words.ts';

/** What the pure-state lab knows; everything else is answered with "not in this lab". */
const PROGRAMS = ['df', 'uptime', 'free', 'ps', 'systemctl', 'journalctl', 'hostname', 'docker'];
const PROXMOX = ['pct', 'pvesh', 'qm', 'pveversion'];

/** Answers one command from the state. Nothing runs anywhere. */
export function answerFromState(
  house: House,
  vmid: number | undefined,
  command: string,
  nowMs: number,
): Answer {
  const place = vmid === undefined ? house.host : placeOf(house, vmid);
  if ('code' in place) return place;
  const look = answerLook(command);
  if (look !== undefined) return printed(look);
  const words = simpleWords(command);
  if (words === undefined) return notHere(command);
  const [program = '', ...args] = words;
  if (vmid === undefined && PROXMOX.includes(program)) return onHost(house, program, args);
  return inPlace(place, program, args, nowMs);
}

function placeOf(house: House, vmid: number): Place | Answer {
  const guest = house.guests.get(vmid);
  if (!guest) {
    return refused(
      `Configuration file 'nodes/${house.host.name}/lxc/${vmid}.conf' does not exist`,
      2,
    );
  }
  return guest.running ? guest.place : refused(`container '${vmid}' not running!`);
}

function onHost(house: House, program: string, args: readonly string[]): Answer {
  switch (program) {
    case 'pct':
      return pct(house, args);
    case 'pvesh':
      return pvesh(house, args);
    case 'qm':
      return args[0] === 'list' ? SILENT : notHere(`qm ${args.join(' ')}`);
    default:
      return printed('pve-manager/9.2.11/14a22df3 (running kernel: 6.17.4-1-pve)\n');
  }
}

function inPlace(place: Place, program: string, args: readonly string[], nowMs: number): Answer {
  switch (program) {
    case 'df':
      return printed(diskTable(place));
    case 'uptime':
      return printed(' 12:00:00 up 40 days,  3:12,  0 users,  load average: 0.12, 0.10, 0.08\n');
    case 'free':
      return printed(
        '               total        used        free      shared  buff/cache   available\nMem:            15Gi       4.2Gi       7.9Gi       120Mi       3.2Gi        11Gi\nSwap:          4.0Gi          0B       4.0Gi\n',
      );
    case 'ps':
      return printed(processTable(place));
    case 'systemctl':
      return systemctl(place, args, nowMs);
    case 'journalctl':
      return journalctl(place, args);
    case 'hostname':
      return printed(`${place.name}\n`);
    case 'docker':
      return args[0] === 'ps'
        ? printed('CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS    PORTS     NAMES\n')
        : notHere(`docker ${args.join(' ')}`);
    default:
      return question(program, args);
  }
}

/** The daemon asks `test -x /bin/bash` of every place; people ask where a program is. */
function question(program: string, args: readonly string[]): Answer {
  if (program === 'true') return SILENT;
  if (program === 'test' && args.join(' ') === '-x /bin/bash') return SILENT;
  if (program === 'command' && args[0] === '-v') {
    const name = args[1] ?? '';
    return PROGRAMS.includes(name) ? printed(`/usr/bin/${name}\n`) : { code: 1 };
  }
  return notHere([program, ...args].join(' '));
}

function notHere(command: string): Answer {
  return refused(
    `${command.slice(0, 60)}: not in this lab: it has state only, and runs nothing on your machine`,
    127,
  );
}

function processTable(place: Place): string {
  const rows = [...place.states]
    .filter(([, state]) => state.active === 'active')
    .map(
      ([name], index) =>
        `root ${String(300 + index).padStart(8)} ${place.units.get(name)?.command ?? name}`,
    );
  return `${['USER      PID COMMAND', 'root        1 /sbin/init', ...rows].join('\n')}\n`;
}
