import type { Dialect } from '../../shared/domain/dialect.ts';
import type { Target } from '../../shared/domain/target.ts';

/** A known environment, so that a command means the same whoever's login it runs under. */
const FIXED_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  SYSTEMD_PAGER: '',
  GIT_OPTIONAL_LOCKS: '0',
};

/** The kernel's limit for one argument is 128 KiB with its closing NUL. */
export const MAX_COMMAND_BYTES = 131_071;

export type Wrapped =
  | { readonly ok: true; readonly line: string }
  | { readonly ok: false; readonly reason: string };

/** Any text as one word of a POSIX shell, read exactly once. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The one shell line that runs `command` on a target, in the shell that it was judged for: the
 * command is one quoted word, so that no shell but the last one reads it (EXECUTION: what was
 * judged is what runs).
 */
export function wrapCommand(options: {
  readonly target: Target;
  readonly dialect: Dialect;
  readonly command: string;
  /** Whether the host's `pct exec` knows --keep-env. */
  readonly keepEnvOption: boolean;
}): Wrapped {
  const { target, dialect, command, keepEnvOption } = options;
  if (command.includes('\0')) return { ok: false, reason: 'the command has a NUL byte in it' };
  if (new TextEncoder().encode(command).length > MAX_COMMAND_BYTES) {
    return {
      ok: false,
      reason: 'the command is longer than the 128 KiB that one argument may have',
    };
  }
  const shell = [...shellOf(dialect), shellQuote(command)];
  if (target.kind === 'host') {
    return { ok: true, line: [...cleanEnv('"$HOME"'), ...shell].join(' ') };
  }
  if (target.kind === 'vm') {
    return { ok: false, reason: `${target.slug} is a VM, and Oikos has no way into VMs` };
  }
  const pct = [
    'pct',
    'exec',
    `${target.vmid}`,
    ...(keepEnvOption ? ['--keep-env', '0'] : []),
    '--',
  ];
  const inside = [...cleanEnv('/root'), ...shell];
  return { ok: true, line: [...cleanEnv('"$HOME"'), ...pct, ...inside].join(' ') };
}

/** `home` is shell text: a literal, or an expansion that the supervising shell makes. */
function cleanEnv(home: string): string[] {
  const fixed = Object.entries(FIXED_ENV).map(([name, value]) => `${name}=${value}`);
  return ['/usr/bin/env', '-i', `HOME=${home}`, ...fixed];
}

function shellOf(dialect: Dialect): string[] {
  return dialect === 'bash' ? ['/bin/bash', '--noprofile', '--norc', '-c'] : ['/bin/sh', '-c'];
}
