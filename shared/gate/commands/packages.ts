import {
  changes,
  destroys,
  hasWord,
  low,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  reads,
  theTarget,
} from '../rule.ts';
import { only } from './builders.ts';

const NAME = '[\\w.+:*][\\w.+:*-]*';

const packageNames = (call: Parameters<typeof operandsOf>[0]) =>
  operandsOf(call).filter((arg) => !/^(purge|remove|autoremove|autopurge)$/.test(arg.text ?? ''));

const purges = (name: string): readonly Rule[] => [
  destroys(
    '',
    'removes packages together with their settings and data',
    [`${name} purge x`, `${name} remove --purge x`],
    [`${name} remove x`],
    {
      if: hasWord(/^(purge|autopurge|--purge)$/),
      objects: packageNames,
      confirmVerb: 'purge',
    },
  ),
];

/** Trial runs change nothing. */
const SIMULATES = hasWord(/^(-s|--simulate|--dry-run|--just-print)$/);

const VERSIONS: readonly string[] = [
  'node',
  'python3',
  'python',
  'java',
  'go',
  'perl',
  'ruby',
  'php',
  'cargo',
  'rustc',
  'gcc',
  'make',
  'composer',
];

const apt: Program = {
  names: ['apt'],
  operands: 'named',
  rules: [
    reads(
      'list',
      'lists packages',
      {
        short: 'a',
        long: ['installed', 'upgradable', 'upgradeable', 'all-versions', 'manual-installed'],
      },
      ['apt list --upgradable'],
      ['apt list -o Dir::x=y'],
    ),
    reads('show', 'describes packages', { short: 'a' }, ['apt show nginx'], ['apt show -o x']),
    reads('policy', 'shows versions of packages', {}, ['apt policy nginx'], ['apt policy -c x']),
    reads(
      'search',
      'searches packages',
      { short: 'n', long: ['names-only', 'full'] },
      ['apt search zfs'],
      ['apt search -o x'],
    ),
    reads('depends', 'shows what a package needs', {}, ['apt depends nginx'], ['apt depends -o x']),
    reads(
      'rdepends',
      'shows what needs a package',
      {},
      ['apt rdepends nginx'],
      ['apt rdepends -o x'],
    ),
    low('update', 'refreshes the package lists', /^(-q+)?$/, ['apt update'], ['apt update -o x']),
    ...purges('apt'),
    ...['install', 'upgrade', 'full-upgrade', 'remove', 'autoremove'].map((verb) =>
      changes(verb, 'changes packages', [`apt ${verb} x`], ['apt list']),
    ),
  ],
};

const aptGet: Program = {
  names: ['apt-get'],
  operands: 'named',
  rules: [
    phrase(
      '',
      'shows what an upgrade would do',
      /^(?=.*(-s|--simulate|--dry-run|--just-print)( |$))((-s|--simulate|--dry-run|--just-print|upgrade|dist-upgrade|install|remove|autoremove|-[qV]+|[\w]([\w.+:][\w.+:-]*)?)( |$))+$/,
      ['apt-get -s upgrade'],
      ['apt-get upgrade', 'apt-get -s -o x upgrade'],
    ),
    phrase('', 'checks dependencies', /^check$/, ['apt-get check'], ['apt-get clean']),
    low(
      'update',
      'refreshes the package lists',
      /^((-q+|-y)( |$))*$/,
      ['apt-get update -qq'],
      ['apt-get update -o x'],
    ),
    low(
      '',
      'refreshes the package lists',
      /^-q+ update$/,
      ['apt-get -qq update'],
      ['apt-get -o x update'],
    ),
    ...purges('apt-get'),
    changes(
      '',
      'changes packages',
      ['apt-get install x', 'apt-get -y upgrade'],
      ['apt-get -s upgrade', 'apt-get clean'],
      {
        if: (call) =>
          hasWord(/^(install|upgrade|dist-upgrade|remove|autoremove)$/)(call) && !SIMULATES(call),
      },
    ),
  ],
};

/** Asking what is installed; installing and removing. */
export const PACKAGES: readonly Program[] = [
  apt,
  aptGet,
  {
    names: ['apt-cache'],
    operands: 'named',
    rules: [
      'policy',
      'search',
      'show',
      'madison',
      'depends',
      'rdepends',
      'showpkg',
      'stats',
      'pkgnames',
    ].map((verb) =>
      reads(
        verb,
        'describes packages',
        { short: 'n', long: ['names-only', 'installed'] },
        [`apt-cache ${verb} x`],
        [`apt-cache ${verb} -o x`],
      ),
    ),
  },
  only(
    'apt-mark',
    'lists held packages',
    /^(showhold|showmanual|showauto)$/,
    ['apt-mark showhold'],
    ['apt-mark hold x'],
  ),
  only(
    'apt-config',
    'shows settings of apt',
    /^dump$/,
    ['apt-config dump'],
    ['apt-config shell x y'],
  ),
  only(
    'dpkg',
    'lists packages',
    /^(-l|-L|-S|-s|-V|-p|--list|--listfiles|--search|--status|--get-selections|--audit|-C|--print-architecture|--print-foreign-architectures|--verify|--version)( [\w./*]([\w.+:*/][\w.+:*/-]*)?)*$/,
    ['dpkg -l', 'dpkg -S /usr/bin/curl'],
    ['dpkg -i x.deb'],
    destroys('', 'removes packages together with their settings', ['dpkg -P x'], ['dpkg -l'], {
      if: hasWord(/^(-P|--purge)$/),
      objects: operandsOf,
      confirmVerb: 'purge',
    }),
  ),
  {
    names: ['dpkg-query'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists packages',
        {
          short: 'WlLsS',
          shortValue: 'f',
          long: ['show', 'list', 'listfiles', 'status', 'search'],
          longValue: ['showformat'],
        },
        ['dpkg-query -W'],
        ['dpkg-query --admindir=x -W'],
      ),
    ],
  },
  only(
    'rpm',
    'lists packages',
    /^-q[aiflcdR]*( [\w./*]([\w.+:*/][\w.+:*/-]*)?)*$/,
    ['rpm -qa'],
    ['rpm -e x', 'rpm --eval x'],
  ),
  only(
    'dnf yum',
    'lists packages',
    new RegExp(
      `^(list( installed| available| updates)?|check-update|info ${NAME}|repolist|history|-q list installed)$`,
    ),
    ['dnf list installed'],
    ['dnf install x'],
    low('', 'refreshes the package lists', /^makecache$/, ['dnf makecache'], ['dnf clean all']),
  ),
  only(
    'apk',
    'lists packages',
    new RegExp(
      `^(info( -[a-zA-Z]+)?( ${NAME})?|list( --installed| -I| -u)?|version|policy ${NAME})$`,
    ),
    ['apk info'],
    ['apk add x'],
    low('', 'refreshes the package lists', /^update$/, ['apk update'], ['apk upgrade']),
  ),
  only(
    'pacman',
    'lists packages',
    new RegExp(`^-Q[ielqkstu]*( ${NAME})*$`),
    ['pacman -Q'],
    ['pacman -Syu'],
  ),
  only(
    'pip pip3',
    'lists Python packages',
    new RegExp(`^(list( --outdated)?|show ${NAME}|freeze|--version|check)$`),
    ['pip list'],
    ['pip install x'],
  ),
  only(
    'npm',
    'lists Node packages',
    /^((ls|list)( -g)?( --depth=\d)?|-v|--version|outdated)$/,
    ['npm ls -g'],
    ['npm i x'],
  ),
  only('snap', 'lists snaps', /^(list|version)$/, ['snap list'], ['snap install x']),
  only('flatpak', 'lists flatpaks', /^list$/, ['flatpak list'], ['flatpak install x']),
  only(
    'update-alternatives',
    'lists alternatives',
    /^--(list|display) [\w.][\w.-]*$/,
    ['update-alternatives --list editor'],
    ['update-alternatives --set a b'],
  ),
  only('debsums', 'checks files of packages', /^-[sc]$/, ['debsums -s'], ['debsums -g']),
  {
    names: [...VERSIONS],
    operands: 'read',
    launches: true,
    rules: [
      phrase(
        '',
        'shows the version',
        /^(-v|--version|-V|-version|version)$/,
        ['python3 --version'],
        ['python3 x.py'],
      ),
      changes(
        '',
        'runs a program that cannot be looked through',
        ['python3 x.py', 'make'],
        ['python3 --version'],
        {
          flags: ['opaque'],
          if: (call) =>
            !/^(-v|--version|-V|-version|version)$/.test(call.args[0]?.text ?? '') ||
            call.args.length > 1,
        },
      ),
    ],
  },
  {
    names: ['update-initramfs', 'update-grub', 'grub-install', 'proxmox-kernel-helper'],
    operands: 'named',
    rules: [changes('', 'changes how the machine starts', ['update-grub'], ['ls'])],
  },
  only(
    'systemd-detect-virt',
    'tells what kind of machine it is',
    /^(-[cvrq]|--\w+)?$/,
    ['systemd-detect-virt'],
    ['systemd-detect-virt x'],
  ),
  {
    names: ['ansible', 'ansible-playbook', 'salt', 'puppet'],
    operands: 'read',
    launches: true,
    rules: [
      changes('', 'changes machines elsewhere', ['ansible-playbook x'], ['ls'], {
        flags: ['opaque', 'egress'],
      }),
    ],
  },
  {
    names: ['unattended-upgrade'],
    operands: 'named',
    rules: [
      changes('', 'changes packages', ['unattended-upgrade'], ['ls']),
      destroys('', 'removes packages', ['unattended-upgrade --purge'], ['unattended-upgrade'], {
        if: hasWord(/^--purge/),
        objects: theTarget,
      }),
    ],
  },
];
