import { whyNoShell } from '../ssh/no-shell.ts';
import { CHANGED, type OutputStream, type Preflight, type ShellChannel } from '../ssh/transport.ts';
import { createFrameReader, type EndFrame, type Frame } from './frames.ts';

/** How one channel's part of a detached run ended. */
export type SessionEnd =
  | { readonly kind: 'ended'; readonly end: EndFrame }
  /** Nothing was started, and by this channel nothing will be. */
  | { readonly kind: 'not_started'; readonly reason: string; readonly stopped?: true }
  /** What a look found forbade the start; nothing ran. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There was no such run, and now there never will be one: a tombstone says so. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'lost'; readonly why: 'reboot' | 'killed'; readonly stillRuns: boolean }
  /** Told to stop, and there after all patience (K10). */
  | { readonly kind: 'still_running' }
  /** The spool was there before us: somebody started it. */
  | { readonly kind: 'exists' }
  /** Old spools are gone. */
  | { readonly kind: 'swept' }
  /** The channel is gone; `mayRun` when `go` had been sent or the run was known to exist. */
  | { readonly kind: 'broken'; readonly mayRun: boolean };

export interface SessionOptions {
  /** From `startScript` or `attachScript`. */
  readonly script: string;
  readonly nonce: string;
  /** Longest wait for the first frame, and from `go` to the start where a look comes between. */
  readonly greetingMs: number;
  /** An attachment: the run may exist whatever happens to the channel. */
  readonly attached: boolean;
  readonly onData: (stream: OutputStream, at: number, bytes: Buffer) => void;
  /** The run is on the host, or it wrote something that is not sent. */
  readonly onLife?: () => void;
  /** Why nothing may start, from what a look found; undefined: it may. */
  readonly judge?: Preflight['judge'] | undefined;
}

export interface Session {
  readonly end: Promise<SessionEnd>;
  /** Asks the host to end the run: TERM, then KILL where that is allowed; the host sees to it. */
  stop(): void;
  /** Leaves the run alone where it may have begun; else nothing will be started. */
  leave(): void;
  /** Takes the spool away; call it once the result is stored. False: it was not confirmed. */
  clean(): Promise<boolean>;
  close(): void;
}

const CLEAN_MS = 10_000;
const REFUSALS: Readonly<Record<string, string>> = {
  late: 'the start was held up for too long on its way to the host',
  space: 'the host has no space for the output of a run (100 MB in /var/lib, or 32 MB in /run)',
  base: 'the folder for runs on the host cannot be trusted: it must be 0700, our own, and no link',
};

/** Drives one channel of a detached run; never throws. */
export function openSession(channel: ShellChannel, options: SessionOptions): Session {
  const { nonce } = options;
  let found = '';
  let complaint = '';
  let mayRun = options.attached;
  let settled = false;
  let closed = false;
  let attends = false;
  let wantsStop = false;
  let settle: (end: SessionEnd) => void = () => undefined;
  let onCleaned: (cleaned: boolean) => void = () => undefined;

  const end = new Promise<SessionEnd>((resolve) => {
    settle = (how) => {
      if (settled) return;
      settled = true;
      clearTimeout(greeting);
      clearTimeout(starting);
      if (how.kind !== 'ended' && how.kind !== 'lost') channel.close();
      resolve(how);
    };
  });
  const greeting = setTimeout(() => {
    if (!reader.begun) settle(notAnswering('its shell did not answer'));
  }, options.greetingMs);
  const notAnswering = (reason: string): SessionEnd =>
    mayRun ? { kind: 'broken', mayRun } : { kind: 'not_started', reason };

  let starting: NodeJS.Timeout | undefined;
  const go = () => {
    const reason = options.judge?.(found, nonce);
    if (reason !== undefined) return settle({ kind: 'refused', reason });
    mayRun = true;
    channel.write(`go ${nonce}\n`);
    // The second look may hang where the first did not: whoever comes back sees whether it began.
    if (options.judge) starting = setTimeout(giveUpStart, options.greetingMs);
  };
  const giveUpStart = () => {
    if (!attends) settle({ kind: 'broken', mayRun: true });
  };
  const refused = (why: string) => {
    mayRun = false;
    settle({ kind: 'not_started', reason: REFUSALS[why] ?? `the host refused the start: ${why}` });
  };
  const hear = (frame: Frame) => {
    switch (frame.kind) {
      case 'ready':
        go();
        break;
      case 'other':
        found += `oikos ${nonce} ${frame.text}\n`;
        break;
      case 'started':
        mayRun = true;
        attends = true;
        clearTimeout(starting);
        options.onLife?.();
        if (wantsStop) channel.write('stop\n');
        break;
      case 'more':
        options.onLife?.();
        break;
      case 'refused':
        refused(frame.why);
        break;
      case 'cleaned':
        onCleaned(true);
        break;
      default:
        settle(endOf(frame));
    }
  };
  const reader = createFrameReader(nonce, {
    onFrame: hear,
    onData: (stream, at, bytes) => {
      if (!settled) options.onData(stream, at, bytes);
    },
    onGarbage: (why) => settle(notAnswering(why)),
  });

  channel.on('data', (chunk: Buffer) => reader.push(chunk));
  channel.stderr.on('data', (chunk: Buffer) => {
    if (!reader.begun) complaint = `${complaint}${chunk.toString('utf8')}`.slice(0, 2_000);
  });
  channel.on('error', () => undefined);
  channel.on('close', () => {
    closed = true;
    settle(notAnswering(whyNoShell(complaint)));
    onCleaned(false);
  });
  channel.write(options.script);

  return {
    end,
    stop() {
      if (settled) return;
      // Earlier words would be read as a part of the program.
      wantsStop = true;
      if (attends) channel.write('stop\n');
      else if (!mayRun) settle({ kind: 'not_started', reason: 'it was stopped', stopped: true });
    },
    leave() {
      if (mayRun) channel.close();
      else settle({ kind: 'not_started', reason: 'the daemon was stopped' });
    },
    clean() {
      if (closed || channel.destroyed) return Promise.resolve(false);
      return new Promise((resolve) => {
        const timer = setTimeout(() => onCleaned(false), CLEAN_MS);
        onCleaned = (cleaned) => {
          clearTimeout(timer);
          resolve(cleaned);
        };
        channel.write('clean\n');
      });
    },
    close: () => channel.close(),
  };
}

type Final = Extract<
  Frame,
  { kind: 'missing' | 'still' | 'exists' | 'absent' | 'swept' | 'changed' | 'end' | 'lost' }
>;

function endOf(frame: Final): SessionEnd {
  switch (frame.kind) {
    case 'missing':
      return { kind: 'not_started', reason: `the host has no ${frame.program}` };
    case 'changed':
      return { kind: 'refused', reason: CHANGED };
    case 'still':
      return { kind: 'still_running' };
    case 'exists':
    case 'absent':
    case 'swept':
      return { kind: frame.kind };
    case 'end':
      return { kind: 'ended', end: frame.end };
    case 'lost':
      return frame;
  }
}
