import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostSlot, OutputStream, Preflight } from '../ssh/transport.ts';
import {
  attachScript,
  type ChannelOptions,
  type Positions,
  type StartOptions,
  startScript,
} from './scripts.ts';
import { openSession, type Session, type SessionEnd } from './session.ts';

/** What it needs of a slot on the host. */
type DurableSlot = Pick<HostSlot, 'open' | 'greetingMs'>;

export interface DurableJob extends Omit<StartOptions, 'nonce' | 'preflight'> {
  readonly preflight?: Preflight | undefined;
  /** Aborted by `cancel` to stop the run, by `shutdown` to leave it to whoever adopts it. */
  readonly stop: AbortSignal;
  readonly onOutput: (stream: OutputStream, text: string) => void;
  /** So many bytes of the middle of a stream were not kept. */
  readonly onGap: (stream: OutputStream, bytes: number) => void;
  /** The channel broke, and with it the sight of the run. */
  readonly onBroken?: () => void;
  /** The host spoke of the run: it is there, whatever it prints. */
  readonly onLife: () => void;
  /** Seconds since it may have begun. */
  readonly ageSeconds: () => number;
  /** The host cannot be reached; false gives the run up. */
  readonly onUnreachable: (why: string) => Promise<boolean>;
}

/** How a detached run ended, as far as it can be known. */
export type DurableEnd =
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly stopped?: 'time_limit' | 'cancel';
      /** Seconds since its end; undefined: before a restart of the host. */
      readonly agoSeconds: number | undefined;
      /** How its Proxmox task ended, where the command itself was cut off or stopped. */
      readonly task?: string;
      /** All that it wrote, kept or not. */
      readonly bytes: number;
    }
  | {
      readonly kind: 'not_started';
      readonly reason: string;
      readonly stopped?: 'cancel';
      /** It was looked for, and there was no trace of it. */
      readonly absent?: true;
    }
  /** What was found in front of the start forbade it; nothing ran. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'host_restarted' }
  /** The program beside the command was killed on the host. */
  | { readonly kind: 'killed'; readonly stillRuns: boolean }
  | { readonly kind: 'still_running' }
  | { readonly kind: 'unreachable' }
  /** This daemon is ending; the run goes on. */
  | { readonly kind: 'left' };

export interface Followed {
  readonly end: DurableEnd;
  /** Takes the spool away; only once the end is stored. Best effort: what stays is swept. */
  clean(): Promise<void>;
}

/** A look reads files to their end, and enters guests. */
const LOOK_MS = 30_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Starts a detached run, or finds one that may be there, and follows it to its end over as many
 * connections as that takes. A start is tried once: after a doubt the run is only looked for.
 */
export async function runDurably(
  slot: DurableSlot,
  job: DurableJob,
  how: 'start' | 'attach',
): Promise<Followed> {
  const output = createSink(job);
  let attached = how === 'attach';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const { end, session, begun, why } = await attempt(slot, job, output, attached);
    if (isSure(end)) {
      output.end();
      return {
        end: meaningOf(end),
        clean: () => cleaned(slot, { ...job, from: output.positions }, session, end),
      };
    }
    if (job.stop.aborted && job.stop.reason === 'shutdown') return nothingToClean({ kind: 'left' });
    attached = true;
    if (begun) job.onBroken?.();
    if (begun || end.kind === 'exists') pauseMs = FIRST_PAUSE_MS;
    else if (!(await job.onUnreachable(why))) {
      output.end();
      return nothingToClean({ kind: 'unreachable' });
    }
    await pause(pauseMs, job.stop);
  }
}

interface Attempt {
  readonly end: SessionEnd;
  readonly session: Session | undefined;
  /** The host spoke of the run on this channel. */
  readonly begun: boolean;
  /** For a reader, when it did not. */
  readonly why: string;
}

/** One channel's part of the run. */
async function attempt(
  slot: DurableSlot,
  job: DurableJob,
  output: Sink,
  attached: boolean,
): Promise<Attempt> {
  const opened = await slot.open();
  if (!opened.ok) {
    const { reason } = opened;
    const end: SessionEnd = attached
      ? { kind: 'broken', mayRun: true }
      : { kind: 'not_started', reason };
    return { end, session: undefined, begun: false, why: reason };
  }
  const nonce = randomBytes(16).toString('hex');
  let begun = false;
  const session = openSession(opened.channel, {
    script: attached
      ? attachScript({
          ...placeOf(job),
          nonce,
          from: output.positions,
          tailBytes: job.kept?.tail,
          ageSeconds: job.ageSeconds(),
        })
      : startScript({ ...job, nonce }),
    nonce,
    greetingMs: slot.greetingMs + (job.preflight && !attached ? LOOK_MS : 0),
    attached,
    onData: output.take,
    onLife: () => {
      begun = true;
      job.onLife();
    },
    judge: job.preflight?.judge,
  });
  const end = await untilEnd(session, job);
  return { end, session, begun, why: 'the host does not answer' };
}

function placeOf({ id, bases }: DurableJob): Omit<ChannelOptions, 'nonce'> {
  return { id, bases };
}

/** The session's end; a stop is passed on, and a shutdown leaves the run alone. */
async function untilEnd(session: Session, { stop }: DurableJob): Promise<SessionEnd> {
  const onStop = () => {
    if (stop.reason === 'shutdown') session.leave();
    else session.stop();
  };
  stop.addEventListener('abort', onStop);
  if (stop.aborted) onStop();
  try {
    return await session.end;
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

type Sure = Exclude<SessionEnd, { kind: 'broken' | 'exists' | 'swept' }>;

function isSure(end: SessionEnd): end is Sure {
  return end.kind !== 'broken' && end.kind !== 'exists' && end.kind !== 'swept';
}

function meaningOf(end: Sure): DurableEnd {
  switch (end.kind) {
    case 'ended': {
      const { code, stopped, agoSeconds, task } = end.end;
      const bytes = end.end.bytes.stdout + end.end.bytes.stderr;
      const why = stopped === 'limit' ? 'time_limit' : stopped;
      return {
        kind: 'exited',
        code,
        agoSeconds,
        bytes,
        ...(why && { stopped: why }),
        ...(task !== undefined && { task }),
      };
    }
    case 'not_started':
      return {
        kind: 'not_started',
        reason: end.reason,
        ...(end.stopped && { stopped: 'cancel' }),
      };
    case 'refused':
      return end;
    case 'absent':
      return { kind: 'not_started', reason: 'it had not begun on its host', absent: true };
    case 'lost':
      return end.why === 'reboot'
        ? { kind: 'host_restarted' }
        : { kind: 'killed', stillRuns: end.stillRuns };
    case 'still_running':
      return { kind: 'still_running' };
  }
}

/** Where a run keeps everything, and how much of its output is known. */
type Spool = Pick<DurableJob, 'id' | 'bases'> & { readonly from: Positions };

/** What is lost stays on the host as evidence, and a tombstone must stay. */
async function cleaned(
  slot: DurableSlot,
  spool: Spool,
  session: Session | undefined,
  end: Sure,
): Promise<void> {
  const gone = end.kind === 'ended' && !(await session?.clean());
  session?.close();
  if (gone) await cleanAnew(slot, spool);
}

/** The channel that told of the end is gone, as after a restart of the host. */
async function cleanAnew(slot: DurableSlot, { id, bases, from }: Spool): Promise<void> {
  const opened = await slot.open();
  if (!opened.ok) return;
  const nonce = randomBytes(16).toString('hex');
  const session = openSession(opened.channel, {
    // Its end is known already, whatever the host's age.
    script: attachScript({ id, bases, nonce, from, ageSeconds: 0 }),
    nonce,
    greetingMs: slot.greetingMs,
    attached: true,
    onData: () => undefined,
  });
  if ((await session.end).kind === 'ended') await session.clean();
  session.close();
}

function nothingToClean(end: DurableEnd): Followed {
  return { end, clean: () => Promise.resolve() };
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  // A stop that is not for us to wait for is heard at the next attempt.
  if (stop.aborted) await sleep(ms);
  else await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
}

interface Sink {
  readonly positions: { readonly stdout: number; readonly stderr: number };
  readonly take: (stream: OutputStream, at: number, bytes: Buffer) => void;
  end(): void;
}

/** Bytes of both streams as text, over several connections: a character may be cut by any of them. */
function createSink(job: Pick<DurableJob, 'onOutput' | 'onGap'>): Sink {
  const positions = { stdout: 0, stderr: 0 };
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const emit = (stream: OutputStream, text: string) => {
    if (text !== '') job.onOutput(stream, text);
  };
  return {
    positions,
    take(stream, at, bytes) {
      if (at > positions[stream]) {
        emit(stream, decoders[stream].end());
        job.onGap(stream, at - positions[stream]);
      }
      positions[stream] = at + bytes.length;
      emit(stream, decoders[stream].write(bytes));
    },
    end() {
      for (const stream of ['stdout', 'stderr'] as const) emit(stream, decoders[stream].end());
    },
  };
}
