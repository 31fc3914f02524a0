/** `pct`: the container tool, as far as pct(1) was needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, printed, refused, SILENT } from './answer.ts';
import {
  CONTAINER_ENVIRONMENT,
  ContainerStartError,
  commandExists,
  execInContainer,
  killContainer,
  shutDownContainer,
  startContainer,
} from './container.ts';
import { formatConfigListing, parseGuestConfig } from './guest-config.ts';
import { withGuestLock } from './guest-lock.ts';
import { readBoolean } from './options.ts';
import { type PctCall, readPctCall } from './pct-usage.ts';
import { type Guest, guestName, guestStatus } from './resources.ts';
import {
  configPath,
  currentFaults,
  findGuest,
  listGuests,
  removeGuest,
  runningMark,
  writeConfig,
} from './store.ts';
import { formatPctList, formatVerboseStatus } from './tables.ts';

type Command = (call: PctCall, guest: Guest) => Answer | Promise<Answer>;

const COMMANDS: Readonly<Record<string, Command>> = {
  status: (call, guest) =>
    printed(
      isSet(call, 'verbose') ? formatVerboseStatus(guest) : `status: ${guestStatus(guest)}\n`,
    ),
  config: showConfig,
  exec: execute,
  start: underLock(start),
  stop: underLock(stop),
  shutdown: underLock(shutDown),
  reboot,
  destroy: underLock(destroy),
  unlock,
};

export async function pct(args: readonly string[]): Promise<Answer> {
  const call = readPctCall(args);
  if ('code' in call) return call;
  if (call.command === 'list') return printed(formatPctList(listGuests(Date.now())));
  // The real one says so of a nonexistent id too: it looks at the process, not at the file.
  if (call.command === 'stop' && !runningMark(call.vmid)) return notRunning(call.vmid);
  const guest = findGuest(call.vmid, Date.now());
  if (!guest) return missing(call.vmid);
  const command = COMMANDS[call.command];
  return command ? command(call, guest) : refused(`pct ${call.command}: not in this lab`);
}

/**
 * Commands that change a guest wait for its lock file, look at it afresh, and fail on a `lock:` of its
 * configuration.
 */
function underLock(command: Command): Command {
  return (call) =>
    withGuestLock(call.vmid, async () => {
      const guest = findGuest(call.vmid, Date.now());
      if (!guest) return missing(call.vmid);
      const lock = guest.config.values['lock'];
      if (lock !== undefined && !isSet(call, 'skiplock')) return refused(`CT is locked (${lock})`);
      return command(call, guest);
    });
}

function missing(vmid: number): Answer {
  return refused(`Configuration file '${configPath(vmid)}' does not exist`, 2);
}

function showConfig(call: PctCall, guest: Guest): Answer {
  const snapshot = call.options['snapshot'];
  if (snapshot === undefined) return printed(formatConfigListing(guest.config));
  const section = guest.config.snapshots[snapshot];
  if (!section) return refused(`snapshot '${snapshot}' does not exist`);
  return printed(formatConfigListing(parseGuestConfig(section.join('\n'))));
}

async function execute(call: PctCall, guest: Guest): Promise<Answer> {
  const [command] = call.extra;
  if (command === undefined) {
    return refused('missing command at /usr/share/perl5/PVE/CLI/pct.pm line 246.');
  }
  if (!guest.running) return refused(`container '${call.vmid}' not running!`);
  const { pid } = guest.running;
  if (!commandExists(pid, command)) {
    return refused(
      `lxc-attach: ${call.vmid}: ../src/lxc/attach.c: lxc_attach_run_command: 1841 No such file or directory - Failed to exec "${command}"`,
      127,
    );
  }
  const keepsEnvironment = readBoolean(call.options['keep-env'] ?? '1') === true;
  const environment = keepsEnvironment
    ? { ...process.env, ...CONTAINER_ENVIRONMENT }
    : CONTAINER_ENVIRONMENT;
  return { code: await execInContainer(pid, call.extra, environment) };
}

async function start(call: PctCall, guest: Guest): Promise<Answer> {
  if (guest.running) return refused(`CT ${call.vmid} already running`);
  if (guest.config.values['template'] === '1') {
    return refused("you can't start a CT if it's a template");
  }
  const faults = currentFaults();
  await sleep(faults.slowStartMs.get(call.vmid) ?? 0);
  const failed = refused(`startup for container '${call.vmid}' failed`);
  if (faults.startFails.has(call.vmid)) return failed;
  try {
    await startContainer(call.vmid, guestName(guest));
  } catch (error) {
    if (!(error instanceof ContainerStartError)) throw error;
    return { ...failed, err: `${error.message}\n${failed.err}` };
  }
  return SILENT;
}

async function stop(call: PctCall): Promise<Answer> {
  const mark = runningMark(call.vmid);
  if (!mark) return notRunning(call.vmid);
  await killContainer(call.vmid, mark);
  return SILENT;
}

function notRunning(vmid: number): Answer {
  return refused(`CT ${vmid} not running`);
}

async function shutDown(call: PctCall): Promise<Answer> {
  const mark = runningMark(call.vmid);
  if (!mark) return notRunning(call.vmid);
  const patienceMs = Number(call.options['timeout'] ?? 60) * 1000;
  if (await shutDownContainer(call.vmid, mark, patienceMs)) return SILENT;
  if (!isSet(call, 'forceStop')) return refused('container did not stop');
  await killContainer(call.vmid, mark);
  return SILENT;
}

/** Stops without looking at the lock; the start then meets it, and the container stays down (as in Proxmox). */
async function reboot(call: PctCall): Promise<Answer> {
  const mark = runningMark(call.vmid);
  if (!mark) return refused(`VM ${call.vmid} not running`);
  const patienceMs = Number(call.options['timeout'] ?? 60) * 1000;
  const stopped = await withGuestLock(call.vmid, async () =>
    (await shutDownContainer(call.vmid, mark, patienceMs))
      ? SILENT
      : refused('container did not stop'),
  );
  return stopped.code === 0 ? pct(['start', String(call.vmid)]) : stopped;
}

async function destroy(call: PctCall, guest: Guest): Promise<Answer> {
  const mark = runningMark(call.vmid);
  if (guest.config.values['protection'] === '1') {
    return refused(`can't remove CT ${call.vmid} - protection mode enabled`);
  }
  if (mark && !isSet(call, 'force')) {
    return refused(`unable to destroy CT ${call.vmid} - container is running`);
  }
  let out = '';
  if (mark) {
    out += `forced to stop CT ${call.vmid} before destroying!\n`;
    await killContainer(call.vmid, mark);
  }
  if (isSet(call, 'purge')) out += `purging CT ${call.vmid} from related configurations..\n`;
  removeGuest(call.vmid);
  return printed(out);
}

function unlock(call: PctCall, guest: Guest): Answer {
  const { lock, ...values } = guest.config.values;
  if (lock === undefined) return refused('no lock found trying to remove any lock');
  writeConfig(call.vmid, { ...guest.config, values });
  return SILENT;
}

function isSet(call: PctCall, option: string): boolean {
  return readBoolean(call.options[option] ?? '0') === true;
}
