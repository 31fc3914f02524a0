import type { AccessKind } from '../../domain/gate-result.ts';
import { foldPattern, matcher, plain } from '../globs.ts';
import { candidates, type Directory, MAX_PATH } from '../places.ts';
import { isAddress, type Value } from '../value.ts';

interface Place {
  readonly gains: string;
  /** Left out: of a kind that nothing depends on. */
  readonly kind?: AccessKind;
  readonly forms: readonly RegExp[];
  /** A file of the kind: a pattern that can become it counts, and a test asks for it. */
  readonly example: string;
}

const HOME = '^/(?:root|home/[^/]+|var/lib/[^/]+)';
const home = (names: string): RegExp => new RegExp(`${HOME}/(?:${names})(?:/|$)`);
const etc = (names: string): RegExp => new RegExp(`^/(?:usr/(?:local/)?)?etc/(?:${names})`);

/** What writing to (or deleting) a file of each kind gives. The first that fits is named. */
export const PLACES: readonly Place[] = [
  {
    gains: 'decides which keys may log in',
    forms: [/authorized_keys\d?$/],
    example: '/root/.ssh/authorized_keys',
  },
  {
    gains: 'changes how a user logs in over SSH',
    forms: [/\/\.ssh(\/(?!known_hosts).*)?$/],
    example: '/root/.ssh/config',
  },
  {
    gains: 'changes the SSH service or its keys',
    forms: [etc('ssh/(?!ssh_known_hosts)'), etc('ssh$|dropbear|default/(?:ssh|dropbear)')],
    example: '/etc/ssh/sshd_config',
  },
  {
    gains: 'changes accounts, groups or passwords',
    forms: [
      etc(
        '(?:passwd|shadow|group|gshadow|subuid|subgid)-?$|login\\.defs|securetty|shells$|nologin',
      ),
    ],
    example: '/etc/passwd',
  },
  {
    gains: 'decides who may act as root',
    forms: [etc('sudoers|doas\\.(?:conf|d)|polkit-1'), /^\/usr\/share\/polkit-1/],
    example: '/etc/sudoers.d/x',
  },
  {
    gains: 'changes how logins are checked',
    forms: [etc('pam\\.|security/|nsswitch\\.conf|krb5|sssd|ldap'), /\/security\/pam_\w+\.so$/],
    example: '/etc/pam.d/sshd',
  },
  {
    gains: 'decides which other machines may read or write files',
    forms: [etc('exports(?:$|\\.d)')],
    example: '/etc/exports',
  },
  {
    gains: 'runs commands whenever a repository is used',
    forms: [
      /\.git\/hooks(\/|$)|\.git\/config$|\/\.gitconfig$|\/\.config\/git(\/(config|attributes))?$/,
      // A repository without a tree of its own may have any name.
      /\/hooks\/(applypatch-msg|(pre|post|prepare|commit|proc|push|sendemail|fsmonitor|p4)-[\w-]+|update|reference-transaction)$/,
      /^\/usr\/share\/git-core\/templates(\/|$)/,
      etc('gitconfig$'),
    ],
    example: '/opt/x/.git/hooks/post-merge',
  },
  {
    gains: 'loads code into every program',
    forms: [etc('ld\\.so'), etc('ld-musl-')],
    example: '/etc/ld.so.preload',
  },
  {
    gains: 'runs commands later by itself',
    forms: [
      etc('cron|anacrontab|at\\.(?:allow|deny)|periodic|incron'),
      /^\/var\/spool\/(cron|at|incron|anacron)/,
      etc('logrotate'),
    ],
    example: '/etc/cron.d/x',
  },
  {
    gains: 'changes what services run, also after every start',
    kind: 'unit',
    forms: [/^\/(etc|run|lib|usr\/lib|usr\/local\/lib)\/systemd\/(system|user)(\/|$)/],
    example: '/etc/systemd/system/x.service',
  },
  {
    gains: 'changes what services run, also after every start',
    forms: [
      /^\/(etc|run|lib|usr\/lib|usr\/local\/lib|usr\/share)\/systemd\/(?!journald|resolved|timesyncd|logind|coredump|network)/,
      /^\/(etc|run|lib|usr\/lib)\/systemd$/,
      /\/\.config\/systemd(\/|$)/,
      etc('init\\.d|rc\\d?\\.d|rc\\.local|inittab|runlevels|local\\.d|init/|conf\\.d/|dbus-1'),
      /^\/usr\/share\/dbus-1\/(system-)?services/,
      etc('(?:NetworkManager/dispatcher|networkd-dispatcher|ppp/ip-|network/if-|dhcp/dhclient)'),
      etc('(?:docker/daemon\\.json|containers/)'),
    ],
    example: '/etc/init.d/x',
  },
  {
    gains: 'runs commands at every login',
    forms: [
      etc('profile|bash\\.bash|bashrc|zsh|environment|skel|update-motd\\.d|X11/X|csh'),
      home(
        '\\.(?:bashrc|bash_\\w+|profile|zshrc|zshenv|zprofile|zlogin|login|cshrc|xprofile|xinitrc|inputrc)',
      ),
      home('\\.config/(?:fish|autostart|environment\\.d)'),
    ],
    example: '/etc/profile.d/x.sh',
  },
  {
    gains: 'runs commands when hardware or the kernel asks',
    forms: [
      /^\/(etc|run|lib|usr\/lib)\/(udev|modprobe\.d|modules-load\.d|binfmt\.d)/,
      etc('modules$|initramfs-tools|dracut|kernel/|default/grub|grub\\.d'),
      /^\/proc\/sys\/(kernel\/(core_pattern|modprobe|hotplug)|fs\/binfmt_misc)/,
      /^\/sys\/kernel\/uevent_helper/,
    ],
    example: '/etc/udev/rules.d/x.rules',
  },
  {
    gains: 'decides where packages come from and whose signature counts',
    kind: 'package_source',
    forms: [
      etc('apt/(?:sources\\.list|keyrings/|trusted\\.gpg)|apk/(?:repositories|keys/)'),
      /^\/(usr|var|usr\/local)\/(share|lib)\/keyrings\//,
    ],
    example: '/etc/apt/sources.list.d/x.list',
  },
  {
    gains: 'decides where packages come from and whose signature counts',
    forms: [
      etc('apt(?:/|$)|yum|dnf|zypp|pki/rpm|apk/|pacman|dpkg'),
      /^\/(usr|var|usr\/local)\/(share|lib)\/keyrings/,
    ],
    example: '/etc/apt/apt.conf.d/x',
  },
  {
    gains: 'decides which certificate authorities are trusted',
    forms: [
      /^\/usr\/(local\/)?share\/ca-certificates/,
      etc('ssl/(?:certs|openssl\\.cnf)|ca-certificates|pki/(?:ca-trust|tls)'),
    ],
    example: '/usr/local/share/ca-certificates/x.crt',
  },
  {
    gains: 'decides who may do what in Proxmox',
    forms: [
      /^\/etc\/pve\/(user\.cfg|priv|domains\.cfg|sdn|authkey|pve-root|ha$)/,
      etc('proxmox-backup'),
    ],
    example: '/etc/pve/user.cfg',
  },
  {
    gains: 'changes the settings of a guest by hand, also those that reach the host',
    forms: [
      /^\/etc\/pve\/(nodes\/[^/]+\/|local\/)?(lxc|qemu-server)(\/|$)/,
      /^\/var\/lib\/lxc\/[^/]+\/config/,
      etc('lxc'),
      /\/snippets\//,
      /^\/usr\/share\/lxc\//,
    ],
    example: '/etc/pve/lxc/101.conf',
  },
  {
    gains: 'changes what the firewall lets through',
    forms: [
      /^\/etc\/pve\/(firewall|nodes\/[^/]+\/host\.fw|local\/host\.fw)/,
      etc('iptables|nftables|ufw|default/ufw|firewalld|fail2ban|crowdsec|hosts\\.(?:allow|deny)'),
    ],
    example: '/etc/pve/firewall/cluster.fw',
  },
  {
    gains: 'opens or changes a tunnel',
    forms: [
      etc('(?:cloudflared|wireguard|openvpn|tailscale|frp|ngrok|nebula|netbird|zerotier|stunnel)'),
      /^\/var\/lib\/(tailscale|zerotier-one)/,
    ],
    example: '/etc/wireguard/wg0.conf',
  },
  {
    gains: 'changes what is logged or audited',
    forms: [
      etc('(?:r?syslog|syslog-ng|audit|systemd/journald|promtail|alloy|telegraf|prometheus)'),
      /^\/var\/log\/(auth\.log|secure|wtmp|btmp|lastlog|faillog|syslog|messages|audit|journal|pve(\/|$)|sudo|fail2ban)/,
      /^\/var\/log$/,
      /^\/(var\/)?run\/utmp$/,
      home('\\.\\w*_history'),
    ],
    example: '/etc/audit/auditd.conf',
  },
  {
    gains: 'changes which backups are made',
    forms: [
      /^\/etc\/pve\/(jobs|vzdump|replication)/,
      etc(
        '(?:vzdump\\.conf|borgmatic|sanoid|restic|autorestic|rsnapshot|zrepl|btrbk|bacula|bareos)',
      ),
    ],
    example: '/etc/pve/jobs.cfg',
  },
  {
    gains: 'replaces a program that root runs',
    forms: [/^\/(usr\/)?s?bin(\/|$)/, /^\/(usr\/)?lib(32|64)?\/.*\.so(\.|$)/],
    example: '/usr/bin/sudo',
  },
];

// Further well-known files: a pattern that can become one of them counts.
const KNOWN = [
  ...PLACES.map(({ example }) => example),
  '/etc/shadow',
  '/etc/sudoers',
  '/etc/crontab',
  '/etc/cron.daily/x',
  '/etc/pam.d/su',
  '/root/.bashrc',
  '/home/u/.bashrc',
  '/home/u/.ssh/authorized_keys',
  '/etc/apt/sources.list',
  '/var/log/auth.log',
  '/etc/pve/priv/x',
] as const;

// The same files below another root: a guest's, a container's, one being repaired.
const OTHER_ROOT =
  /^(\/proc\/[^/]+\/root|\/var\/lib\/lxc\/[^/]+\/rootfs|.*\/subvol-\d+-disk-\d+|.*\/overlay2?\/[^/]+\/(merged|diff)|\/(mnt|target|newroot|host|rootfs|sysroot|chroot)(\/[^/]+)??)(?=\/)/;

interface Gain {
  readonly gains: string;
  readonly kind: AccessKind;
}

/** What writing to this absolute path gives, or undefined. Below another root it is of no kind. */
export function gainOfPath(path: string): Gain | undefined {
  if (path.length > MAX_PATH) {
    return { gains: 'is too long a path to tell what it gives', kind: 'other' };
  }
  const inside = path.replace(OTHER_ROOT, '');
  for (const { gains, kind = 'other', forms } of PLACES) {
    if (forms.some((form) => form.test(path))) return { gains, kind };
    if (forms.some((form) => form.test(inside))) return { gains, kind: 'other' };
  }
  return undefined;
}

/** What writing to the files a word names gives, seen from these directories; the first is named. */
export function gainOfWord(
  value: Value,
  directories: readonly Directory[],
): (Gain & { readonly path: string }) | undefined {
  if (isAddress(value)) return undefined;
  const found = pathsOf(value, directories).flatMap((path) => {
    const gain = gainOfPath(path);
    return gain === undefined ? [] : [{ ...gain, path }];
  });
  const [first] = found;
  if (first) {
    return found.every(({ kind }) => kind === first.kind) ? first : { ...first, kind: 'other' };
  }
  if (value.text !== undefined) return undefined;
  const gains = gainOfPattern(value.pattern, directories);
  return gains === undefined ? undefined : { gains, kind: 'other', path: value.pattern };
}

/** What a pattern gives that could become a well-known file, or lies in a folder of such files. */
function gainOfPattern(pattern: string, directories: readonly Directory[]): string | undefined {
  if (/^\*\*/.test(pattern)) return undefined;
  const bases = pattern.startsWith('/') ? [''] : directories;
  for (const base of bases) {
    const full = foldPattern(base === undefined ? `**/${pattern}` : `${base}/${pattern}`);
    if (full === undefined) return 'is a path nobody can tell';
    const known = full.startsWith('**') ? undefined : KNOWN.find(matcher(full));
    const gains = gainOfPath(known ?? sampleOf(full))?.gains;
    if (gains !== undefined) return gains;
  }
  return undefined;
}

/** A file the pattern can become, as plain as can be. */
function sampleOf(pattern: string): string {
  return plain(pattern.replace(/\[[^\]]*\]|\*+|(?<!\\)\?/g, 'x'));
}

const INSIDE = /(?:~|\$\{?HOME\}?)?\/[\w@.+*-][\w@./+*~-]*/g;

/** Every path a word may name: itself, what follows a `=` or `:`, those inside a text. */
function pathsOf(value: Value, directories: readonly Directory[]): readonly string[] {
  const text = value.text ?? value.pattern;
  const inside = (text.match(INSIDE) ?? []).map((path) =>
    path.replace(/^(~|\$\{?HOME\}?)/, '/root'),
  );
  const whole = /[\s(){};|<>'"]/.test(text) ? [] : [text.replace(/^[\w-]+=/, '')];
  return [...whole, ...inside].flatMap((path) => candidates(path, directories));
}
