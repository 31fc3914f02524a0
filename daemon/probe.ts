import type { Dialect } from '../shared/domain/dialect.ts';
import type { Target } from '../shared/domain/target.ts';
import type { HostSlot } from './ssh/transport.ts';
import { wrapCommand } from './ssh/wrap.ts';

export type ProbeAnswer =
  | {
      readonly kind: 'answered';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

const PROBE_LIMIT_MS = 20_000;
const MAX_ANSWER = 64 * 1024;

export interface ProbeOptions {
  readonly keepEnvOption?: boolean;
  readonly dialect?: Dialect;
  /** Longer answers are cut. */
  readonly maxAnswer?: number;
}

/** A short fixed question to a host or guest that changes nothing (K17). Never throws. */
export async function probe(
  slot: HostSlot,
  target: Target,
  command: string,
  { keepEnvOption = true, dialect = 'posix', maxAnswer = MAX_ANSWER }: ProbeOptions = {},
): Promise<ProbeAnswer> {
  const wrapped = wrapCommand({ target, dialect, command, keepEnvOption });
  if (!wrapped.ok) return { kind: 'unknown', reason: wrapped.reason };
  const answer = { stdout: '', stderr: '' };
  const end = await slot.run({
    line: wrapped.line,
    needs: ['setsid'],
    limitMs: PROBE_LIMIT_MS,
    killAfterMs: 5_000,
    endWithConnection: true,
    stop: new AbortController().signal,
    onOutput: (stream, text) => {
      answer[stream] = (answer[stream] + text).slice(0, maxAnswer);
    },
  });
  switch (end.kind) {
    case 'exited':
      if (end.stopped) return { kind: 'unknown', reason: 'the host did not answer in time' };
      return { kind: 'answered', code: end.code, ...answer };
    case 'not_started':
    case 'refused':
      return { kind: 'unknown', reason: end.reason };
    case 'connection_lost':
      return { kind: 'unknown', reason: 'the connection broke' };
    case 'still_running':
      return { kind: 'unknown', reason: 'the host did not answer in time' };
  }
}
