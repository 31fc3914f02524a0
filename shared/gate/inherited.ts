import type { Known } from './scope.ts';

/** What reading a variable may bring out: nothing private, nobody knows what, a likely secret. */
export type Origin = 'plain' | 'unknown' | 'secret';

// Set by the shell or by a login for everybody: none of these is private.
const PLAIN =
  /^([@*?#$!_-]|\d+|HOME|PATH|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|USER|LOGNAME|PWD|OLDPWD|SHELL|SHLVL|S?RANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ|COLUMNS|LINES|UID|EUID|PPID|GROUPS|IFS|LINENO|FUNCNAME|PIPESTATUS|DIRSTACK|TMPDIR|REPLY|MAPFILE|OPTARG|OPTIND|BASH|BASHPID|BASH_[A-Z]+|BASHOPTS|SHELLOPTS)$/;
const SECRET_NAME = /PASS|PW|TOKEN|SECRET|KEY|CRED|AUTH|DSN|_URL|PRIVATE/i;

/** Where a variable's value comes from, given what the line has set so far. */
export function originOf(name: string, known: Known | undefined): Origin {
  if (PLAIN.test(name)) return 'plain';
  const perhaps = known?.kind === 'unknown' && known.inherited === true;
  if (known !== undefined && !perhaps) return 'plain';
  if (SECRET_NAME.test(name)) return 'secret';
  // A line's own variables are written small; one set on some ways through it is most likely its own.
  return perhaps && !/^[A-Z]/.test(name) ? 'plain' : 'unknown';
}
