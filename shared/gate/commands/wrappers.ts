import {
  type Call,
  changes,
  checked,
  destroys,
  type Match,
  type Program,
  phrase,
  type Rule,
  theTarget,
} from '../rule.ts';
import { canBeSecret } from '../secrets.ts';
import { literal } from '../value.ts';
import { openEnv, openFlags, openSudo } from '../wrappers/prefixes.ts';
import { openShell, openSsh, openSu, runsText } from '../wrappers/shells.ts';
import { openXargs } from '../wrappers/xargs.ts';

function wraps(
  names: string,
  why: string,
  open: (call: Call) => Match,
  match: string[],
  not: string[],
  ...rules: Rule[]
): Program {
  return {
    names: names.split(' '),
    operands: 'named',
    launches: true,
    rules: [checked('', why, open, match, not), ...rules],
  };
}

/** Starts its words as a command in a way that is not followed. */
function launches(names: string, why: string, example: string, opaque = false): Program {
  return {
    names: names.split(' '),
    operands: 'read',
    launches: true,
    rules: [changes('', why, [example], ['true'], opaque ? { flags: ['opaque'] } : {})],
  };
}

const prefix = (flags: string[], valued: string[], attached: string[], first?: RegExp) =>
  openFlags({ flags, valued, attached, ...(first ? { first } : {}) });

/** `sudo -s command` runs it through a shell, but word for word. */
function openSudoShell(call: Call): Match {
  const shell = call.args.findIndex((arg) => /^(-s|-i|--shell|--login)$/.test(arg.text ?? ''));
  const leads = shell >= 0 && call.args.slice(0, shell).every((arg) => arg.text?.startsWith('-'));
  if (!leads) return openSudo(call);
  const match = openSudo({ ...call, args: call.args.filter((_, i) => i !== shell) });
  if (!match.matches) return match;
  const remark = { class: 'config_mutation', why: 'runs a login or other shell' } as const;
  return { ...match, remarks: [...(match.remarks ?? []), remark] };
}

/** `env -C DIR command file`: the file lies below that directory. */
function readsSecretThere(call: Call): boolean {
  const texts = call.args.map((arg) => arg.text ?? '');
  const at = texts.findIndex((text) => /^(-C|--chdir)/.test(text));
  if (at < 0) return false;
  const attached = /^(?:-C|--chdir=)(.+)$/s.exec(texts[at] ?? '')?.[1];
  const directory = attached ?? call.args[at + 1]?.text;
  return call.args.slice(at + 1).some((arg) => canBeSecret(arg, [directory]));
}

/** `xargs -a FILE`: what is in the file becomes words of the command. */
function takesSecret(call: Call): boolean {
  return call.args.some((arg, i) => {
    const attached = /^(?:-a|--arg-file=)(.+)$/s.exec(arg.text ?? '')?.[1];
    const follows = /^(-a|--arg-file)$/.test(call.args[i - 1]?.text ?? '');
    const file = attached === undefined ? arg : literal(attached);
    return (attached !== undefined || follows) && canBeSecret(file, call.directories);
  });
}

/** Commands that run other commands. */
export const WRAPPERS: readonly Program[] = [
  wraps(
    'sudo doas',
    'runs a command as another user',
    openSudoShell,
    ['sudo docker ps', 'sudo -u www-data ls'],
    ['sudo -s', 'sudo -e /etc/x', 'sudo'],
  ),
  wraps(
    'env',
    'runs a command',
    openEnv,
    ['env LC_ALL=C ls'],
    ['env -S ls', 'env'],
    destroys(
      '',
      'prints every variable, some of which can be secrets',
      ['env', 'env LC_ALL=C'],
      ['env ls'],
      {
        if: (call) =>
          call.args.every((arg) =>
            /^-0?$|^-i$|^--null$|^-u\w*$|^[A-Za-z_]\w*=/.test(arg.text ?? ''),
          ),
        flags: ['secret'],
        objects: theTarget,
      },
    ),
    destroys(
      '',
      'reads a file that can hold a secret',
      ['env -C /etc cat shadow'],
      ['env -C /etc cat hosts'],
      { if: readsSecretThere, flags: ['secret'] },
    ),
  ),
  wraps(
    'nice',
    'runs a command with less weight',
    prefix([], ['-n', '--adjustment'], ['-n', '--adjustment=']),
    ['nice -n 19 du -sh /x'],
    ['nice -x ls'],
  ),
  wraps(
    'ionice',
    'runs a command with less weight',
    prefix(['-t', '-c1', '-c2', '-c3'], ['-c', '-n'], ['-c', '-n']),
    ['ionice -c3 du -sh /x'],
    ['ionice -p 1'],
  ),
  wraps(
    'timeout',
    'runs a command for a limited time',
    prefix(
      ['--foreground', '--preserve-status', '-v'],
      ['-k', '-s'],
      ['--signal=', '--kill-after='],
      /^\d+(\.\d+)?[smh]?$/,
    ),
    ['timeout 10 df -h'],
    ['timeout x ls'],
  ),
  wraps(
    'stdbuf',
    'runs a command',
    prefix([], ['-o', '-i', '-e'], ['-o', '-i', '-e']),
    ['stdbuf -oL ls'],
    ['stdbuf --frob ls'],
  ),
  wraps(
    'time',
    'runs a command and measures it',
    prefix(['-p'], [], []),
    ['\\time -p ls'],
    ['\\time -o x ls'],
  ),
  wraps(
    'busybox toybox',
    'runs a command',
    prefix([], [], []),
    ['busybox ls'],
    ['busybox --install', 'busybox'],
  ),
  wraps(
    'command',
    'runs a command',
    prefix(['-p'], [], []),
    ['command ls'],
    ['command -x'],
    phrase(
      '',
      'tells where a command is',
      /^-[vV]( [\w.][\w.-]*)+$/,
      ['command -v jq'],
      ['command -v ./x'],
    ),
  ),
  wraps(
    'numactl',
    'runs a command on some processors',
    prefix([], [], ['--cpunodebind=', '--membind=']),
    ['numactl --cpunodebind=0 ls'],
    ['numactl --frob ls'],
    phrase(
      '',
      'shows how memory is laid out',
      /^(-H|--hardware|-s|--show)$/,
      ['numactl --hardware'],
      ['numactl -x'],
    ),
  ),
  {
    ...wraps(
      'nsenter',
      'runs a command in another network',
      prefix(['-n', '--net'], ['-t', '--target'], ['--target=']),
      ['nsenter -t 1 -n ss -tlnp'],
      ['nsenter -t 1 -m ls'],
    ),
    // Whose process that is, a guest's or the host's, nobody can tell.
    touches: (words) =>
      words.some(({ text }) => /^-\w*[amurRw]|^--(all|mount|uts|user|root|wd)/.test(text ?? '-a'))
        ? 'unknown'
        : [],
  },
  wraps(
    'xargs',
    'runs a command on the words it reads',
    openXargs,
    ['xargs -n1 docker port'],
    ['xargs -a x ls', 'xargs --replace=X sh -c X'],
    destroys(
      '',
      'takes its words from a file that can hold a secret',
      ['xargs -a /etc/shadow echo'],
      ['xargs -a /srv/list echo'],
      { if: takesSecret, flags: ['secret'] },
    ),
  ),
  wraps(
    'bash',
    'runs a script',
    openShell('bash'),
    ["bash -c 'df -h'", 'bash --version'],
    ['bash x.sh', 'bash -c "$x"', 'bash'],
    runsText('bash'),
  ),
  wraps(
    'sh dash ash',
    'runs a script',
    openShell('posix'),
    ["sh -c 'df -h'"],
    ['sh x.sh', 'sh'],
    runsText('sh'),
  ),
  wraps(
    'su runuser',
    'runs a command as another user',
    openSu,
    ["su - postgres -c 'psql -l'", 'runuser -u postgres -- psql -l'],
    ['su', 'su - bob', 'su -c "$x"', 'runuser -u bob'],
    changes('', 'opens a shell of another user', ['su - bob'], ["su - bob -c 'df -h'"], {
      if: (call) => !openSu(call).matches,
    }),
  ),
  wraps(
    'ssh',
    'runs a command on another host',
    openSsh,
    ["ssh pve2 'df -h'", 'ssh -p 22 a@b uptime'],
    ['ssh pve2', 'ssh -o ProxyCommand=x h ls', 'ssh -F x h ls'],
    phrase('', 'shows its version', /^-V$/, ['ssh -V'], ['ssh -V x']),
    changes('', 'reaches another host', ['ssh pve2'], ['true'], {
      flags: ['egress'],
      if: (call) => !openSsh(call).matches && !/^-V$/.test(call.args[0]?.text ?? ''),
    }),
  ),
  launches('nohup setsid systemd-run daemonize', 'leaves a command running', 'nohup ls'),
  launches('ksh zsh fish rbash csh tcsh', 'runs a script', 'fish -c x', true),
  launches('eval', 'runs a text as a command', 'eval ls'),
  launches('exec', 'replaces the shell', 'exec ls'),
  launches('builtin trap coproc', 'runs a command at another time', 'trap ls EXIT'),
  {
    names: ['watch'],
    operands: 'read',
    launches: true,
    rules: [
      changes('', 'runs a command again and again', ['watch df -h'], ['true'], {
        flags: ['unbounded'],
      }),
    ],
  },
  launches(
    'sg chroot unshare setpriv capsh script strace ltrace gdb flock chrt taskset setarch linux64 linux32 prlimit parallel unbuffer eatmydata expect firejail bwrap fakeroot choom cgexec xvfb-run dbus-run-session systemd-nspawn systemd-inhibit sshpass ssh-agent faketime proot',
    'runs a command in a way that is not followed',
    'chroot /mnt ls',
  ),
];
