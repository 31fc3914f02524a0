// Variables that only change how output looks.
const DISPLAY_ONLY =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|COLUMNS|LINES|NO_COLOR|TERM|SYSTEMD_COLORS|SYSTEMD_LESS|SYSTEMD_URLIFY|DEBIAN_FRONTEND|CLICOLOR|BLOCKSIZE)$/;
const PAGERS = /^(PAGER|GIT_PAGER|SYSTEMD_PAGER|MANPAGER)$/;

/** Whether a variable may be set for a harmless command: it can only change how output looks. */
export function isSafeEnvironment(name: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  if (PAGERS.test(name)) return value === '' || value === 'cat';
  const form = name === 'TZ' ? /^(\w+([/+-]\w+)*)?$/ : /^([\w@+-]+([.:][\w@+-]+)*)?$/;
  return DISPLAY_ONLY.test(name) && form.test(value);
}

// Names the shell or programs read: setting one changes what later commands do.
const RESERVED =
  /^(PATH|IFS|ENV|BASH.*|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|HOME|SHELL|USER|LOGNAME|MAIL.*|LANG.*|LC_.*|LD_.*|GLIBC.*|MALLOC.*|TERM.*|TMPDIR|TZ|TZDIR|CDPATH|GLOBIGNORE|HIST.*|PAGER|LESS.*|MANPAGER|EDITOR|VISUAL|GIT_.*|SSH_.*|SYSTEMD_.*|DOCKER_.*|COMPOSE_.*|KUBE.*|PYTHON.*|PERL.*|NODE_.*|RUBY.*|XDG_.*|.*_PROXY|.*_proxy|PWD|OLDPWD|HOSTNAME|HOST.*|MACHTYPE|OSTYPE|FUNCNAME|DIRSTACK|PIPESTATUS|RANDOM|SECONDS|OPT.*|REPLY|TIMEFORMAT|TMOUT|EXECIGNORE|FCEDIT|FIGNORE|GROUPS|UID|EUID|PPID|IGNOREEOF|INPUTRC|INSIDE_EMACS|MAPFILE|NLSPATH|POSIXLY_CORRECT|COMP.*|COPROC|auto_resume|histchars|DEBIAN.*|APT.*|TAPE|TAR_OPTIONS|GREP_.*|GZIP|XZ_.*|ZSTD.*|ZFS_.*|JAVA.*|GO[A-Z]+|CURL.*|WGETRC|OPENSSL.*|PG.*|MYSQL.*|SQLITE.*|REDIS.*|RSYNC.*|DBUS.*|RES_OPTIONS|LOCPATH|GCONV_PATH|_)$/;

/** Whether assigning this variable changes how the shell or later programs behave. */
export function isReservedVariable(name: string): boolean {
  return RESERVED.test(name);
}
