/** Containers of the stand-in: nested namespaces with a root directory of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isErrno, markOf, type ProcessMark, signalProcess, waitForEnd } from './process-table.ts';
import { forgetRun, rememberRun } from './store.ts';

const LIB = '/usr/local/lib/lab';

/** What a command inside sees; the same search path as on the host. */
export const CONTAINER_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
} as const;

/** The first process of the container never came up; the message is the last line it said. */
export class ContainerStartError extends Error {
  override readonly name = 'ContainerStartError';
  readonly vmid: number;

  constructor(vmid: number, reason: string) {
    super(`container ${vmid} did not start: ${reason}`);
    this.vmid = vmid;
  }
}

/** Starts the namespaces, waits until their root is in place, then starts the units inside. */
export async function startContainer(vmid: number, name: string): Promise<void> {
  const monitor = spawn('/bin/sh', [`${LIB}/monitor.sh`, String(vmid), name], {
    argv0: `[lxc monitor] /var/lib/lxc ${vmid}`,
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  createInterface({ input: monitor.stderr }).on('line', (line) => said.push(line));
  const pid = await readyPid(monitor.stdout);
  const mark = pid === undefined ? undefined : markOf(pid);
  monitor.stdout.destroy();
  monitor.stderr.destroy();
  monitor.unref();
  if (!mark) throw new ContainerStartError(vmid, said.at(-1) ?? 'no message');
  rememberRun(vmid, { ...mark, startedAtMs: Date.now() });
  const units = spawn(
    'nsenter',
    enterArguments(mark.pid, [`${LIB}/node`, `${LIB}/proxmox/main.ts`, 'lab-units']),
    {
      env: CONTAINER_ENVIRONMENT,
      stdio: 'ignore',
    },
  );
  await once(units, 'exit');
}

/** Ends everything in the container at once: its first process takes all others with it. */
export async function killContainer(vmid: number, mark: ProcessMark): Promise<void> {
  signalProcess(mark, 'SIGKILL');
  await waitForEnd(mark, 10_000);
  forgetRun(vmid);
}

/** Asks the first process to end; false when it has not after the given time. */
export async function shutDownContainer(
  vmid: number,
  mark: ProcessMark,
  patienceMs: number,
): Promise<boolean> {
  signalProcess(mark, 'SIGTERM');
  const ended = await waitForEnd(mark, patienceMs);
  if (ended) forgetRun(vmid);
  return ended;
}

/** Runs argv inside with the streams and the process group of the caller; resolves to its exit code. */
export async function execInContainer(
  pid: number,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  // The group's TERM is meant for the command: stay until it has ended, then report how.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
  const child = spawn('nsenter', enterArguments(pid, argv), {
    env: environment,
    stdio: 'inherit',
  });
  const [code, signal]: unknown[] = await once(child, 'exit');
  if (typeof code === 'number') return code;
  return 128 + (SIGNAL_NUMBERS[String(signal)] ?? 0);
}

/** Whether argv[0] names something in the container, looked up as execvp would. */
export function commandExists(pid: number, command: string): boolean {
  const inRoot = (path: string) => pathExists(`/proc/${pid}/root${path}`);
  if (command.includes('/')) return inRoot(command.startsWith('/') ? command : `/${command}`);
  return CONTAINER_ENVIRONMENT.PATH.split(':').some((folder) => inRoot(`${folder}/${command}`));
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

function enterArguments(pid: number, argv: readonly string[]): string[] {
  return ['--target', String(pid), '--mount', '--pid', '--uts', '--ipc', '--net', '--', ...argv];
}

async function readyPid(output: NodeJS.ReadableStream): Promise<number | undefined> {
  for await (const line of createInterface({ input: output })) {
    const pid = /^ready (\d+)$/.exec(line)?.[1];
    if (pid !== undefined) return Number(pid);
  }
  return undefined;
}

// Not stat: an absolute link inside the container would be resolved on the host.
function pathExists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return false;
    throw error;
  }
}
