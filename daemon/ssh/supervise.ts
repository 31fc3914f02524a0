import { shellQuote } from './wrap.ts';

/**
 * The POSIX sh program that supervises one command on the host, sent on stdin of `sh -s`.
 *
 * Handshake: it says `ready`, and starts the command only after `go`. A connection that breaks
 * before we wrote `go` has therefore started nothing. All lines carry the run's nonce, and frames
 * are read before the command exists: its output cannot forge one. With a look, what it finds comes
 * before `ready`; after `go` it says `started`, or `changed` when a second look found a difference.
 *
 * The command has its own session, so that TERM and KILL reach its children (also those of
 * `pct exec`, which stay in the caller's process group). Stop words come on stdin, because sshd
 * delivers no signals to sessions with a forced command. After a stop the program waits until the
 * group is empty: a child that ignores TERM must still get its KILL.
 */
export function supervisorScript(options: {
  readonly nonce: string;
  /** From `wrapCommand`. */
  readonly line: string;
  /** Programs that must be there before anything starts. */
  readonly needs: readonly string[];
  /** End the command when the connection is gone: right only for what changes nothing. */
  readonly endWithConnection: boolean;
  readonly look?: { readonly lines: readonly string[]; readonly twice: boolean };
  /** How long after a stop the group may take to vanish, in seconds. */
  readonly lingerSeconds: number;
}): string {
  const { nonce, line, endWithConnection, lingerSeconds } = options;
  const needs = options.needs.map(
    (program) =>
      `command -v ${shellQuote(program)} >/dev/null 2>&1 || { echo ${shellQuote(`oikos ${nonce} missing ${program}`)}; exit 0; }`,
  );
  const onGone = endWithConnection ? ['kill -USR1 "$$"; stop TERM; sleep 5; stop KILL'] : [':'];
  return [
    'oikos_run() {',
    'stopping=0',
    "trap 'stopping=1' USR1",
    ...needs,
    ...lookLines(options.look),
    `echo ${shellQuote(`oikos ${nonce} ready`)}`,
    // Not 0: what never began must not look like a success.
    'IFS= read -r word || exit 125',
    `[ "$word" = ${shellQuote(`go ${nonce}`)} ] || exit 125`,
    ...startLines(options.look, nonce),
    'exec 3<&0',
    `setsid ${line} </dev/null 3<&- &`,
    'pid=$!',
    // Before setsid has run there is no such group yet: then the process itself is meant.
    'stop() { kill "-$1" "-$pid" 2>/dev/null || kill "-$1" "$pid" 2>/dev/null; }',
    '(',
    'while IFS= read -r word; do',
    'case $word in',
    'term) kill -USR1 "$$"; stop TERM ;;',
    'kill) stop KILL ;;',
    'esac',
    'done',
    ...onGone,
    ') <&3 >/dev/null 2>&1 &',
    'reader=$!',
    'exec 3<&-',
    // A trapped signal ends `wait` early; the command is over only when its process is gone.
    'while :; do wait "$pid"; code=$?; kill -0 "$pid" 2>/dev/null || break; done',
    // Where the stop and the end came together, `wait` told of our USR1 (128 + 10) and bash forgot the
    // rest: it ended by the TERM. To ask again would block for ever there.
    'if [ "$stopping$code" = 1138 ]; then code=143; fi',
    'left=0',
    `while [ "$stopping" = 1 ] && [ "$left" -lt ${lingerSeconds * 10} ] && kill -0 "-$pid" 2>/dev/null; do`,
    'sleep 0.1; left=$((left + 1))',
    'done',
    'kill "$reader" 2>/dev/null',
    'exit "$code"',
    '}',
    'oikos_run',
    '',
  ].join('\n');
}

type LookOption = Parameters<typeof supervisorScript>[0]['look'];

function lookLines(look: LookOption): readonly string[] {
  if (look === undefined) return [];
  const lines = look.lines.map((line) => `${line} </dev/null 2>/dev/null`);
  return ['oikos_look() {', ...lines, '}', 'seen=$(oikos_look)', 'printf \'%s\\n\' "$seen"'];
}

function startLines(look: LookOption, nonce: string): readonly string[] {
  if (look === undefined) return [];
  const changed = `{ echo ${shellQuote(`oikos ${nonce} changed`)}; exit 125; }`;
  const again = look.twice ? [`[ "$(oikos_look)" = "$seen" ] || ${changed}`] : [];
  return [...again, `echo ${shellQuote(`oikos ${nonce} started`)}`];
}

export type Frame =
  | { readonly kind: 'none' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'missing'; readonly program: string };

/** Looks for this run's first line in what came so far; banners and MOTD before it are passed over. */
export function readFrame(received: string, nonce: string): Frame {
  const found = new RegExp(`(?:^|\\n)oikos ${nonce} (ready|missing (\\S+))\\r?\\n`).exec(received);
  if (!found) return { kind: 'none' };
  return found[2] === undefined ? { kind: 'ready' } : { kind: 'missing', program: found[2] };
}

/** After `go` where there was a look: whether it started, and what of the output came with that. */
export function readStart(
  received: string,
  nonce: string,
): { readonly kind: 'none' | 'changed' } | { readonly kind: 'started'; readonly rest: string } {
  const found = new RegExp(`^oikos ${nonce} (started|changed)\\r?\\n`).exec(received);
  if (!found) return { kind: 'none' };
  if (found[1] === 'changed') return { kind: 'changed' };
  return { kind: 'started', rest: received.slice(found[0].length) };
}

export function goLine(nonce: string): string {
  return `go ${nonce}\n`;
}
