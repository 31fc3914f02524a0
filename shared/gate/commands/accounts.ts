import {
  type Call,
  changes,
  destroys,
  hasWord,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  reads,
  theTarget,
} from '../rule.ts';

// Asking about an account or a key, not changing it.
const LOOKS: Readonly<Record<string, RegExp>> = {
  passwd: /^(-S|--status)( [\w.-]+)?$/,
  chage: /^(-l|--list) [\w.-]+$/,
  'ssh-keygen': /^(-lf|-l -f) \S+$/,
};
const looks = (call: Call): boolean =>
  LOOKS[call.program]?.test(call.args.map((arg) => arg.text ?? '?').join(' ')) ?? false;

function access(names: string, why: string, example: string, ...rules: Rule[]): Program {
  return {
    names: names.split(' '),
    operands: 'read',
    rules: [changes('', why, [example], ['id'], { if: (call) => !looks(call) }), ...rules],
  };
}

function prints(
  names: string,
  why: string,
  example: string,
  form: RegExp,
  not: string,
  ...rules: Rule[]
): Program {
  return {
    names: names.split(' '),
    operands: 'read',
    launches: true,
    rules: [
      destroys('', why, [example], [not], { if: hasWord(form), flags: ['secret'] }),
      ...rules,
    ],
  };
}

const CRON_LIST = /^(-l|-u [\w][\w-]* -l|-l -u [\w][\w-]*)$/;

/** Accounts, scheduled jobs, keys: who may do what, and when. */
export const ACCOUNTS: readonly Program[] = [
  {
    names: ['visudo'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'checks who may act as root',
        /^(-q?cq?|--check)( -s)?( -f \/etc\/sudoers(\.d\/[\w-]+)?)?$/,
        ['visudo -c', 'visudo -cq'],
        ['visudo', 'visudo -f /tmp/x'],
      ),
      changes('', 'decides who may act as root', ['visudo'], ['visudo -c'], {
        if: (call) => !/^-q?c/.test(call.args[0]?.text ?? ''),
      }),
    ],
  },
  access(
    'passwd',
    'changes a password',
    'passwd root',
    phrase(
      '',
      'shows the state of a password',
      /^(-S|--status)( [\w][\w.-]*)?$/,
      ['passwd -S root'],
      ['passwd -l root'],
    ),
  ),
  access(
    'chage',
    'changes how long an account or password lasts',
    'chage -E 0 bob',
    phrase(
      '',
      'shows how long a password lasts',
      /^(-l|--list) [\w][\w.-]*$/,
      ['chage -l bob'],
      ['chage -l bob -E 0'],
    ),
  ),
  access(
    'useradd adduser usermod groupadd groupmod gpasswd chsh chfn chpasswd vipw vigr smbpasswd addgroup',
    'changes accounts or rights',
    'useradd -m bob',
  ),
  access(
    'userdel deluser groupdel delgroup',
    'removes an account',
    'userdel bob',
    destroys('', 'deletes an account and its files', ['userdel -r bob'], ['userdel bob'], {
      if: hasWord(/^(-\w*r\w*|--remove.*)$/),
      objects: (call) => operandsOf(call).slice(-1),
    }),
  ),
  {
    names: ['crontab'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'lists scheduled jobs',
        CRON_LIST,
        ['crontab -l', 'crontab -u root -l'],
        ['crontab -e'],
      ),
      changes('', 'changes scheduled jobs', ['crontab -', 'crontab -e'], ['crontab -l'], {
        if: (call) => !CRON_LIST.test(call.args.map((arg) => arg.text ?? '?').join(' ')),
      }),
      destroys('', 'deletes all scheduled jobs', ['crontab -r'], ['crontab -l'], {
        if: hasWord(/^-\w*r$/),
        objects: theTarget,
      }),
    ],
  },
  {
    names: ['atq'],
    operands: 'named',
    rules: [phrase('', 'lists waiting jobs', /^$/, ['atq'], ['atq -q x'])],
  },
  access('at batch', 'runs commands later', 'at now'),
  access(
    'ssh-keygen',
    'makes or changes keys',
    'ssh-keygen -f x',
    phrase(
      '',
      'shows the fingerprint of a key',
      /^(-lf|-l -f) \/[\w./][\w./-]*\.pub$/,
      ['ssh-keygen -lf /etc/ssh/x.pub'],
      ['ssh-keygen -lf /root/.ssh/id_rsa'],
    ),
  ),
  access('ssh-add', 'hands out keys', 'ssh-add x'),
  {
    names: ['getent'],
    operands: 'named',
    rules: [
      reads(
        '',
        'looks up accounts and hosts',
        { operands: /^[\w.:@][\w.:@-]*$/ },
        ['getent passwd root'],
        ['getent -s x passwd'],
      ),
      destroys('', 'prints password hashes', ['getent shadow root'], ['getent passwd'], {
        if: hasWord(/^g?shadow$/),
        flags: ['secret'],
        objects: (call) => operandsOf(call).slice(0, 1),
        confirmVerb: 'read',
      }),
    ],
  },
  prints(
    'gpg gpg2',
    'prints or deletes a private key',
    'gpg --export-secret-keys',
    /^--(export-secret|delete)/,
    'gpg --list-keys',
  ),
  prints('gh', 'prints a token', 'gh auth token', /^token$/, 'gh pr list', {
    ...phrase(
      '',
      'lists what GitHub holds',
      /^(run|pr|issue|release|workflow|repo) (list|view \d+)( (-L|--limit) \d+)?$|^auth status$/,
      ['gh run list'],
      ['gh pr merge 1', 'gh auth status -t'],
    ),
    flags: ['egress', 'outside_text'],
  }),
  prints('pdbedit', 'prints password hashes', 'pdbedit -L -w', /^-\w*w|^--smbpasswd/, 'pdbedit -L'),
  prints(
    'vault',
    'prints a secret',
    'vault read x',
    /^(read|get|login|unwrap|token|kv|print)$/,
    'vault status',
    phrase(
      '',
      'shows its state',
      /^(status|version|operator members)$/,
      ['vault status'],
      ['vault operator init'],
    ),
  ),
  prints(
    'pass sops age bw op',
    'prints a secret',
    'pass show x',
    /^(show|read|get|-d|--decrypt|decrypt|item|login)$/,
    'pass ls',
  ),
  {
    names: ['quota', 'repquota'],
    operands: 'named',
    rules: [
      reads('', 'shows quotas', { short: 'svua', operands: 1 }, ['quota -s'], ['quota -F x']),
    ],
  },
];
