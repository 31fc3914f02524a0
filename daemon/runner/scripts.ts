import { readFileSync } from 'node:fs';
import { placeLines } from '../ssh/preflight.ts';
import type { Preflight } from '../ssh/transport.ts';
import { shellQuote } from '../ssh/wrap.ts';

/** Runs on the host beside the command. */
const DETACHED = read('./detached.sh');
/** Runs on the channel: starts, follows, stops, cleans, sweeps. */
const CHANNEL = read('./channel.sh');

/** Of each stream of a run that much is kept on the host until it is recorded (K9). */
const KEPT_BYTES = { head: 5 * 1024 * 1024, tail: 5 * 1024 * 1024 };
const START_SECONDS = 30;

/** A folder for spools: used when it has that much space. */
export interface SpoolBase {
  /** Absolute shell text without spaces; `$HOME` is the login's home. */
  readonly path: string;
  readonly needKb: number;
}

/** Where spools lie, the first with room; the second lies in memory and is gone after a reboot. */
const ROOT_BASES: readonly SpoolBase[] = [
  { path: '/var/lib/oikos-runner', needKb: 100 * 1024 },
  { path: '/run/oikos-runner', needKb: 32 * 1024 },
];
const USER_BASES: readonly SpoolBase[] = [
  { path: '$HOME/.oikos-runner', needKb: 100 * 1024 },
  { path: '/dev/shm/oikos-runner-$LOGNAME', needKb: 32 * 1024 },
];

export interface ChannelOptions {
  readonly nonce: string;
  /** The execution's id: names the spool. */
  readonly id: string;
  /** Left out: the host's own, by who is logged in. */
  readonly bases?: readonly SpoolBase[] | undefined;
}

/** How many bytes of each stream are here already. */
export interface Positions {
  readonly stdout: number;
  readonly stderr: number;
}

export interface StartOptions extends ChannelOptions {
  /** From `wrapCommand`: one shell line without redirections. */
  readonly line: string;
  /** Programs that must be there before anything starts. */
  readonly needs: readonly string[];
  readonly limitMs: number;
  /** From TERM to KILL; null: never KILL (K10). */
  readonly killAfterMs: number | null;
  /** What the starting shell looks at before `ready`, and again right before the start. */
  readonly preflight?: Pick<Preflight, 'lines' | 'twice'> | undefined;
  readonly kept?: { readonly head: number; readonly tail: number } | undefined;
  /** A `go` that comes later than this after `ready` was held up on its way and is no start any more. */
  readonly startSeconds?: number | undefined;
}

/** What the detached program itself works with, besides what the caller asks for. */
const OWN_NEEDS = ['setsid', 'mkfifo', 'dd', 'awk'];

/** The program that starts a run after `go`, then follows it. */
export function startScript(options: StartOptions): string {
  const { kept = KEPT_BYTES, killAfterMs } = options;
  return script('start', options, { stdout: 0, stderr: 0 }, kept.tail, [
    `needs=${shellQuote([...new Set([...OWN_NEEDS, ...options.needs])].join(' '))}`,
    `limit=${Math.ceil(options.limitMs / 1_000)}`,
    `grace=${killAfterMs === null ? 'never' : Math.ceil(killAfterMs / 1_000)}`,
    `head=${kept.head}`,
    `start_seconds=${options.startSeconds ?? START_SECONDS}`,
    `command=${shellQuote(`exec setsid ${options.line}`)}`,
    `detached=${shellQuote(DETACHED)}`,
    ...lookLines(options),
  ]);
}

/** Each line is a program of its own, which neither reads our words nor complains into our frames. */
function lookLines({ preflight, nonce }: StartOptions): readonly string[] {
  if (!preflight) return ['looks=none'];
  const lines = placeLines(preflight.lines(nonce), nonce);
  return [`looks=${preflight.twice ? 'twice' : 'once'}`, 'look() {', ...lines, '}'];
}

export interface AttachOptions extends ChannelOptions {
  readonly from: Positions;
  readonly tailBytes?: number | undefined;
  /** So long ago it may have begun: of a host that was restarted since, an empty place says nothing. */
  readonly ageSeconds: number;
}

/** The program that follows a run from where we know its output; what never began never will. */
export function attachScript(options: AttachOptions): string {
  return script('attach', options, options.from, options.tailBytes ?? KEPT_BYTES.tail, [
    `age=${Math.ceil(options.ageSeconds)}`,
  ]);
}

/** Takes away spools that nobody asked for in a week. */
export function sweepScript(options: Omit<ChannelOptions, 'id'>): string {
  return script('sweep', { ...options, id: 'none' }, { stdout: 0, stderr: 0 }, 0, []);
}

function script(
  op: 'start' | 'attach' | 'sweep',
  { nonce, id, bases }: ChannelOptions,
  from: Positions,
  tail: number,
  more: readonly string[],
): string {
  const values = [
    `nonce=${shellQuote(nonce)}`,
    `id=${shellQuote(id)}`,
    `po=${from.stdout}`,
    `pe=${from.stderr}`,
    `tail=${tail}`,
    basesText(bases),
    ...more,
  ];
  // One function, called when all of it has been read: the words that follow on stdin are not ours.
  return `${CHANNEL}\n${values.join('\n')}\nop=${op}\nmain\n`;
}

function basesText(bases: readonly SpoolBase[] | undefined): string {
  const list = (some: readonly SpoolBase[]) =>
    `bases="${some.map(({ path, needKb }) => `${path},${needKb}`).join(' ')}"`;
  if (bases) return list(bases);
  // `/` belongs to root: a question to the shell itself, without a program.
  return `if [ -O / ]; then ${list(ROOT_BASES)}; else ${list(USER_BASES)}; fi`;
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
