import { StringDecoder } from 'node:string_decoder';
import type { ClientChannel } from 'ssh2';
import { whyNoShell } from './no-shell.ts';
import { goLine, readFrame, readStart, supervisorScript } from './supervise.ts';
import {
  CHANGED,
  type OutputStream,
  type RunEnd,
  type RunJob,
  STOP_REASONS,
  type StopReason,
} from './transport.ts';

/** A child that keeps stdout must not keep the run: its exit code is known (EXECUTION, SSH). */
const DRAIN_MS = 2_000;
/** After KILL, or at most this long after TERM where KILL is forbidden. */
const AFTER_KILL_MS = 5_000;
const NEVER_KILLED_PATIENCE_MS = 90_000;
/** More before the first frame is no banner; where the host looks at files first, no look. */
const MAX_BANNER = 64 * 1024;
const MAX_LOOK = 512 * 1024;
/** A look reads files to their end, and enters guests. */
const LOOK_MS = 30_000;

/** `starting`: told to go, and it looks once more before it does. */
type Phase = 'greeting' | 'starting' | 'running' | 'draining' | 'over';

/**
 * Runs one supervised command on an open channel of `sh -s` and answers how it ended; never throws.
 * Output is read to its end even when nobody keeps it, or the remote side would block for ever.
 */
export function runOnChannel(
  channel: ClientChannel,
  job: RunJob,
  options: { readonly nonce: string; readonly greetingMs: number },
): Promise<RunEnd> {
  const { nonce } = options;
  return new Promise((resolve) => {
    let phase: Phase = 'greeting';
    let greeting = '';
    let complaint = '';
    let stopped: StopReason | undefined;
    let exitCode: number | undefined;
    const timers = new Set<NodeJS.Timeout>();
    const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };

    const later = (ms: number, act: () => void) => {
      timers.add(setTimeout(act, ms));
    };
    const settle = (end: RunEnd) => {
      if (phase === 'over') return;
      if (phase !== 'greeting' && phase !== 'starting') {
        for (const stream of ['stdout', 'stderr'] as const) emit(stream, decoders[stream].end());
      }
      phase = 'over';
      for (const timer of timers) clearTimeout(timer);
      job.stop.removeEventListener('abort', onStop);
      channel.close();
      resolve(end);
    };
    const emit = (stream: OutputStream, text: string) => {
      const clean = text.replaceAll('\0', '');
      if (clean !== '') job.onOutput(stream, clean);
    };
    const askToStop = (reason: StopReason) => {
      if (phase === 'greeting') {
        return settle({ kind: 'not_started', reason: 'it was stopped', stopped: reason });
      }
      if ((phase !== 'running' && phase !== 'starting') || stopped) return;
      stopped = reason;
      channel.write('term\n');
      const patienceMs = job.killAfterMs ?? NEVER_KILLED_PATIENCE_MS;
      if (job.killAfterMs !== null) later(patienceMs, () => channel.write('kill\n'));
      const graceMs = job.killAfterMs === null ? 0 : AFTER_KILL_MS;
      later(patienceMs + graceMs, () => settle({ kind: 'still_running', stopped: reason }));
    };
    const onStop = () => askToStop(stopReason(job.stop.reason));
    const begin = () => {
      const objection = job.preflight?.judge(greeting, nonce);
      if (objection !== undefined) return settle({ kind: 'refused', reason: objection });
      phase = job.preflight ? 'starting' : 'running';
      greeting = '';
      channel.write(goLine(nonce));
      later(job.limitMs, () => askToStop('time_limit'));
    };
    const greet = (text: string) => {
      greeting += text;
      const frame = readFrame(greeting, nonce);
      if (frame.kind === 'ready') begin();
      else if (frame.kind === 'missing') {
        settle({ kind: 'not_started', reason: `the host has no ${frame.program}` });
      } else if (greeting.length > (job.preflight ? MAX_LOOK : MAX_BANNER)) {
        settle({
          kind: 'not_started',
          reason: 'the host prints something else than a shell would',
        });
      }
    };
    const watchStart = (text: string) => {
      greeting += text;
      const start = readStart(greeting, nonce);
      if (start.kind === 'changed') settle({ kind: 'refused', reason: CHANGED });
      if (start.kind !== 'started') return;
      phase = exitCode === undefined ? 'running' : 'draining';
      emit('stdout', start.rest);
    };
    const finish = () => {
      // Everything it said has come by now: it never said that it started.
      if (exitCode !== undefined && phase === 'starting') {
        settle({ kind: 'not_started', reason: 'its shell ended before the start' });
        return;
      }
      if (exitCode === undefined) {
        settle(
          phase === 'greeting'
            ? { kind: 'not_started', reason: whyNoShell(complaint) }
            : { kind: 'connection_lost', ...(stopped && { stopped }) },
        );
        return;
      }
      settle({ kind: 'exited', code: exitCode, ...(stopped && { stopped }) });
    };

    channel.on('data', (chunk: Buffer) => {
      const text = decoders.stdout.write(chunk);
      if (phase === 'greeting') greet(text);
      else if (phase === 'starting') watchStart(text);
      else if (phase !== 'over') emit('stdout', text);
    });
    channel.stderr.on('data', (chunk: Buffer) => {
      const text = decoders.stderr.write(chunk);
      if (phase === 'greeting') complaint = `${complaint}${text}`.slice(0, 2_000);
      else if (phase !== 'over') emit('stderr', text);
    });
    channel.on('exit', (code: number | null) => {
      if ((phase !== 'running' && phase !== 'starting') || code === null) return;
      exitCode = code;
      // The code of a short command can overtake its first words, which say whether it started.
      if (phase === 'running') phase = 'draining';
      later(DRAIN_MS, finish);
    });
    channel.on('error', () => undefined);
    channel.on('close', finish);

    job.stop.addEventListener('abort', onStop);
    const greetingMs = options.greetingMs + (job.preflight ? LOOK_MS : 0);
    later(greetingMs, () => {
      if (phase === 'greeting') settle({ kind: 'not_started', reason: 'its shell did not answer' });
    });
    const { line, needs, endWithConnection, killAfterMs, preflight } = job;
    const look = preflight && { lines: preflight.lines(nonce), twice: preflight.twice };
    const lingerSeconds = Math.ceil((killAfterMs ?? NEVER_KILLED_PATIENCE_MS) / 1_000) + 3;
    const script = { nonce, line, needs, endWithConnection, lingerSeconds, ...(look && { look }) };
    channel.write(supervisorScript(script));
    if (job.stop.aborted) onStop();
  });
}

function stopReason(reason: unknown): StopReason {
  return STOP_REASONS.find((known) => known === reason) ?? 'cancel';
}
