/** Tasks as Proxmox has them: a worker in a session of its own, an UPID, a log. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import { isAlive, isErrno, readIfThere } from './process-table.ts';

const LOGS = '/var/log/pve/tasks';
const TASK_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGPIPE', 'SIGHUP'] as const;

/** The worker's title is `task UPID`, which holds its own pid: only a shell can give it that. */
const WORKER = `read -r stat </proc/$$/stat; fields=(\${stat##*) })
printf -v upid 'UPID:%s:%08X:%08X:%08X:%s:%s:root@pam:' "$HOSTNAME" $$ "\${fields[19]}" "$(date +%s)" "$1" "$2"
exec -a "task $upid" /usr/local/lib/lab/node /usr/local/lib/lab/proxmox/main.ts lab-task "$upid" "$@"`;

export interface Upid {
  readonly text: string;
  readonly node: string;
  readonly pid: number;
  readonly startTicks: number;
  readonly startTime: number;
  readonly type: string;
  readonly id: string;
  readonly user: string;
}

export function parseUpid(text: string): Upid | undefined {
  const found =
    /^UPID:([\w-]+):([\dA-F]{8}):([\dA-F]{8,9}):([\dA-F]{8}):(\w+):(\w*):([^:]+):$/.exec(text);
  if (!found) return undefined;
  const [, node = '', pid = '', start = '', at = '', type = '', id = '', user = ''] = found;
  const hex = (word: string) => Number.parseInt(word, 16);
  return { text, node, pid: hex(pid), startTicks: hex(start), startTime: hex(at), type, id, user };
}

/** How a task ended, and which one it was. */
export interface TaskEnd {
  readonly upid: string;
  readonly code: number;
}

/**
 * What a tool does for a task: starts the worker, shows its log, waits. It ignores signals meanwhile;
 * killed, it leaves the worker at its work.
 */
export async function runTask(type: string, id: string): Promise<TaskEnd> {
  for (const signal of TASK_SIGNALS) process.on(signal, () => undefined);
  const worker = spawn('/bin/bash', ['-c', WORKER, 'worker', type, id], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HOSTNAME: hostname() },
  });
  let upid = '';
  worker.stdout.setEncoding('utf8').on('data', (text: string) => {
    upid ||= /^UPID:\S+/.exec(text)?.[0] ?? '';
    writeSync(1, text.replace(/^UPID:\S+\n/, ''));
  });
  const [code]: unknown[] = await once(worker, 'close');
  return { upid, code: typeof code === 'number' ? code : 255 };
}

/** The worker's side: the first line tells the tool its UPID, the last one of the log how it ended. */
export async function work(
  upidText: string,
  job: (say: (line: string) => void) => Promise<Answer>,
): Promise<Answer> {
  const path = logPath(upidText);
  mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  const say = (line: string) => {
    appendFileSync(path, `${line}\n`);
    tell(`${line}\n`);
  };
  tell(`${upidText}\n`);
  const { code, out = '', err = '' } = await job(say);
  for (const line of out.split('\n').filter((text) => text !== '')) say(line);
  appendFileSync(path, code === 0 ? 'TASK OK\n' : `TASK ERROR: ${err.trim()}\n`);
  return code === 0 ? { code } : { code: 255, err };
}

/** Whoever reads it may be gone: the work goes on all the same. */
function tell(text: string): void {
  try {
    writeSync(1, text);
  } catch (error) {
    if (!isErrno(error, 'EPIPE')) throw error;
  }
}

export function taskLog(upid: string): readonly string[] | undefined {
  return readIfThere(logPath(upid))?.trimEnd().split('\n');
}

export function taskStatus(upid: Upid): Record<string, string | number> {
  const { text, node, pid, startTicks: pstart, startTime: starttime, type, id, user } = upid;
  const facts = { id, node, pid, pstart, starttime, type, upid: text, user };
  if (isAlive({ pid, startTicks: pstart })) return { ...facts, status: 'running' };
  const last = taskLog(text)?.at(-1) ?? '';
  const said = /^TASK (?:ERROR: )?(OK|WARNINGS: \d+|.*)$/.exec(last)?.[1];
  return { ...facts, status: 'stopped', exitstatus: said ?? 'unexpected status' };
}

/** Newest first. */
export function listTasks(): readonly Upid[] {
  return readTree()
    .flatMap((name) => parseUpid(name) ?? [])
    .toSorted((a, b) => b.startTime - a.startTime);
}

/** TERM to its group, and KILL only after five seconds: so does the real one. */
export async function stopTask({ pid, startTicks }: Upid): Promise<void> {
  for (const [signal, waits] of [
    ['SIGTERM', 50],
    ['SIGKILL', 10],
  ] as const) {
    if (!isAlive({ pid, startTicks })) return;
    process.kill(-pid, signal);
    for (let round = 0; round < waits && isAlive({ pid, startTicks }); round += 1) await sleep(100);
  }
}

function readTree(): string[] {
  try {
    return readdirSync(LOGS, { recursive: true, encoding: 'utf8' }).map((path) =>
      path.replace(/^.*\//, ''),
    );
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

function logPath(upid: string): string {
  const at = upid.split(':')[4] ?? '';
  return `${LOGS}/${at.slice(-1)}/${upid}`;
}
