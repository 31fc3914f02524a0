import {
  changes,
  destroys,
  hasWord,
  lineOf,
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
      objects: (call) => {
        const names = packageNames(call);
        // Whatever nothing needs any more: only the machine can be named.
        const all = names.length === 0 && hasWord(/^auto(purge|remove)$/)(call);
        return all ? theTarget() : names;
      },
      confirmVerb: 'purge',
    },
  ),
];

/** Trial runs change nothing. */
const SIMULATES = hasWord(/^(-s|--simulate|--dry-run|--just-print)$/);

/**
 * How each language tells its version. `python3 -v`, `make version` and `node version` are no such
 * question: they run what comes in, a target, a file.
 */
const LANGUAGE_VERSIONS: readonly (readonly [string, RegExp])[] = [
  ['node', /^(-v|--version)$/],
  ['python3 python', /^(-VV?|--version)$/],
  ['java', /^--?version$/],
  ['go', /^(version|env GO\w+)$/],
  ['perl ruby gcc make', /^(-v|--version)$/],
  ['cargo', /^(version|-V|--version)$/],
  ['rustc composer', /^(-V|--version)$/],
];
const PHP_VERSION = /^(-v|--version|-m|--ini)$/;

function language([names, version]: readonly [string, RegExp]): Program {
  const [name = ''] = names.split(' ');
  const asks = version.test('version') ? `${name} version` : `${name} --version`;
  return {
    names: names.split(' '),
    operands: 'read',
    launches: true,
    rules: [
      phrase('', 'shows the version', version, [asks], [`${name} x`, `${name} -m`]),
      changes('', 'runs a program that cannot be looked through', [`${name} x`], [asks], {
        flags: ['opaque'],
        if: (call) => !version.test(lineOf(call)),
      }),
    ],
  };
}

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

/** A look at what a registry outside offers. */
function asksRegistry(example: string, form: RegExp, not: string): Rule {
  const rule = phrase('', 'asks a registry what is new', form, [example], [not]);
  return { ...rule, flags: ['egress', 'outside_text'] };
}

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
    /^(-q[aiflcdRp]*|-V|-Va|--version)( (--last|--changelog|--requires|--provides|--whatprovides|[\w./*]([\w.+:*/][\w.+:*/-]*)?))*$/,
    ['rpm -qa'],
    ['rpm -e x', 'rpm --eval x'],
  ),
  only(
    'dnf yum',
    'lists packages',
    new RegExp(
      `^(-q |-C )?(list( --?installed| --?available| --?updates| --?upgrades| --?recent| --?autoremove)?( ${NAME})*|check-update|info ${NAME}|repolist( -v| --all)?|history( list| info( \\d+)?)?|search ${NAME}|provides ${NAME}|repoquery( --installed| -l)* ${NAME}|updateinfo( list| summary)?|module list|grouplist|--version)$`,
    ),
    ['dnf list installed'],
    ['dnf install x'],
    low('', 'refreshes the package lists', /^makecache$/, ['dnf makecache'], ['dnf clean all']),
  ),
  only(
    'apk',
    'lists packages',
    new RegExp(
      `^(info( -[a-zA-Z]+)*( ${NAME})*|list( --installed| -I| -u| --upgradable| --upgradeable| -a)*( ${NAME})*|version( -v| -l [<>=]+)*|policy ${NAME}|search( -[vde])* ${NAME}|stats|audit|dot ${NAME}|--version|upgrade (-s|--simulate)|(-s|--simulate) upgrade)$`,
    ),
    ['apk info'],
    ['apk add x'],
    low('', 'refreshes the package lists', /^update$/, ['apk update'], ['apk upgrade']),
  ),
  only(
    'pacman',
    'lists packages',
    new RegExp(`^(-Q[ielqkstucdmno]*|-S[si]+|-F)( ${NAME})*$`),
    ['pacman -Q'],
    ['pacman -Syu'],
  ),
  only(
    'pip pip3',
    'lists Python packages',
    new RegExp(`^(list|show( ${NAME})+|freeze|--version|check|list --format=\\w+)$`),
    ['pip list'],
    ['pip install x'],
    asksRegistry('pip list --outdated', /^list( --outdated| -o)$/, 'pip list'),
  ),
  only(
    'npm',
    'lists Node packages',
    /^((ls|list)( -g)?( --depth=\d)?|-v|--version|root -g|prefix -g)$/,
    ['npm ls -g'],
    ['npm i x'],
    asksRegistry('npm outdated -g', /^(outdated( -g)?|view [\w@/.-]+( version)?)$/, 'npm ls'),
  ),
  only(
    'snap',
    'lists snaps',
    /^(list( --all)?|version|services|changes|connections|refresh --list|refresh --time|warnings)$/,
    ['snap list'],
    ['snap install x'],
  ),
  only(
    'flatpak',
    'lists flatpaks',
    /^(list( --app| --runtime| --columns=[\w,]+)*|remotes|history|--version|info [\w.]+)$/,
    ['flatpak list'],
    ['flatpak install x'],
  ),
  only(
    'update-alternatives',
    'lists alternatives',
    /^--(list|display) [\w.][\w.-]*$/,
    ['update-alternatives --list editor'],
    ['update-alternatives --set a b'],
  ),
  only('debsums', 'checks files of packages', /^-[sc]$/, ['debsums -s'], ['debsums -g']),
  ...LANGUAGE_VERSIONS.map(language),
  {
    names: ['php', 'php8.2', 'php8.3', 'php8.4'],
    operands: 'read',
    launches: true,
    rules: [
      phrase('', 'shows the version', PHP_VERSION, ['php -v', 'php -m'], ['php x.php']),
      phrase(
        '',
        'asks Nextcloud about itself',
        /^(-f )?(\/[\w/.-]*\/)?occ (-V|(status|check|app:list|user:list|group:list|user:info [\w.-]+|user:lastseen [\w.-]+|security:certificates|background-job:list|integrity:check-core|setupchecks|log:tail|files_external:list|db:convert-type --help|maintenance:mode|update:check|list)( --output=json(_pretty)?| --no-ansi| -n)*)$/,
        ['php occ status', 'php /var/www/nextcloud/occ app:list'],
        ['php occ maintenance:mode --on', 'php occ files:scan --all', 'php occ config:list'],
      ),
      changes('', 'runs a program that cannot be looked through', ['php x.php'], ['php -v'], {
        flags: ['opaque'],
        if: (call) => !PHP_VERSION.test(lineOf(call)) && !hasWord(/^(.*\/)?occ$/)(call),
      }),
      destroys(
        '',
        'prints every setting, passwords included',
        ['php occ config:list system'],
        ['php occ status'],
        {
          if: hasWord(/^config:list$/),
          flags: ['secret'],
          objects: theTarget,
        },
      ),
      destroys(
        '',
        'deletes an account or its files',
        ['php occ user:delete bob'],
        ['php occ status'],
        {
          if: hasWord(
            /^(user:delete|files:cleanup|trashbin:cleanup|versions:cleanup|group:delete|app:remove)$/,
          ),
          objects: (call) => operandsOf(call).slice(-1),
          confirmVerb: 'delete',
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
    names: ['unattended-upgrade', 'unattended-upgrades'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows what an upgrade would do',
        /^(--dry-run|-d|--debug|-v|--verbose| )*--dry-run( -d| --debug| -v)*$/,
        ['unattended-upgrade --dry-run'],
        ['unattended-upgrade -d'],
      ),
      changes(
        '',
        'changes packages',
        ['unattended-upgrade'],
        ['ls', 'unattended-upgrade --dry-run'],
        {
          if: (call) => !hasWord(/^--dry-run$/)(call),
        },
      ),
      destroys('', 'removes packages', ['unattended-upgrade --purge'], ['unattended-upgrade'], {
        if: hasWord(/^--purge/),
        objects: theTarget,
      }),
    ],
  },
];
