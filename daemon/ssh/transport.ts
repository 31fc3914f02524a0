import type { HostTrouble } from './hosts.ts';

/** Why a run was stopped before its own end. */
export const STOP_REASONS = ['time_limit', 'cancel', 'shutdown'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type OutputStream = 'stdout' | 'stderr';

/** What the starting shell looks at before it starts anything. */
export interface Preflight {
  /** One shell line a place that prints what is there now, marked by the nonce. */
  readonly lines: (nonce: string) => readonly string[];
  /** Why nothing may start, from what they printed; undefined: it may. */
  readonly judge: (received: string, nonce: string) => string | undefined;
  /** Look once more right before the start, and start only if all is as it was. */
  readonly twice: boolean;
}

/** Why nothing was started when the second look found a difference. */
export const CHANGED = 'a file that it uses changed while it was about to start';

export interface RunJob {
  /** One shell line from `wrapCommand`. */
  readonly line: string;
  /** Programs that the host must have. */
  readonly needs: readonly string[];
  readonly limitMs: number;
  /** From TERM to KILL; null: never KILL, as for what started a Proxmox task (K10). */
  readonly killAfterMs: number | null;
  readonly preflight?: Preflight;
  /** End it when the connection is gone: only for what changes nothing. */
  readonly endWithConnection: boolean;
  /** Aborted to stop the run; its reason is a StopReason. */
  readonly stop: AbortSignal;
  readonly onOutput: (stream: OutputStream, text: string) => void;
}

/** How a run ended. Only `exited` says anything about the command itself. */
export type RunEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stopped?: StopReason }
  | { readonly kind: 'not_started'; readonly reason: string; readonly stopped?: StopReason }
  /** What was found in front of the start forbade it; nothing ran. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The channel closed after the start without an exit code: the outcome is unknown. */
  | { readonly kind: 'connection_lost'; readonly stopped?: StopReason }
  /** Told to stop, and still there when our patience ended. */
  | { readonly kind: 'still_running'; readonly stopped: StopReason };

/** A shell on the host that reads its program from stdin (`sh -s`). */
export interface ShellChannel {
  write(text: string): unknown;
  on(event: 'data', hear: (chunk: Buffer) => void): unknown;
  /** `close` comes after the last of both outputs. */
  on(event: 'close' | 'error', hear: () => void): unknown;
  readonly stderr: { on(event: 'data', hear: (chunk: Buffer) => void): unknown };
  readonly destroyed: boolean;
  close(): void;
}

export type OpenedShell =
  | { readonly ok: true; readonly channel: ShellChannel }
  | { readonly ok: false; readonly reason: string };

/** A reserved place on a host: connected, and one of its channels kept free. */
export interface HostSlot {
  /** Runs what changes nothing: it lives as long as its channel. */
  run(job: RunJob): Promise<RunEnd>;
  /** Opens the next channel ahead of its need; it starts nothing, and ends with the slot unused. */
  prepare(): void;
  /** A channel for a program of one's own; connects again where the connection broke. */
  open(): Promise<OpenedShell>;
  /** How long a shell on this host may take to say its first word. */
  readonly greetingMs: number;
  release(): void;
}

export type Reservation =
  | { readonly ok: true; readonly slot: HostSlot }
  | { readonly ok: false; readonly trouble: HostTrouble };

/** The way to a host. Another one (the system's ssh, for certificates) can stand beside ssh2. */
export interface Transport {
  /** Waits for a free channel and a working connection; trouble is an answer. */
  reserve(hostSlug: string): Promise<Reservation>;
  /** The same without a connection: for a run that is there already, on a host that may be away. */
  reserveUnconnected(hostSlug: string): Promise<Reservation>;
  /** A connection is there: to reserve means no contact with a host that may be away. */
  isConnected(hostSlug: string): boolean;
  close(): void;
}
