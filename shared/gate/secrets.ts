import { canMatch } from './globs.ts';
import { ANYWHERE, candidates, type Directory, MAX_PATH } from './places.ts';
import { SECRET_FILES } from './secret-files.ts';
import type { Value } from './value.ts';

// Reading one of these out cannot be undone: the room and the model provider keep what they saw.
const SECRET_PATHS: readonly RegExp[] = [
  /(^|\/)etc\/g?shadow/,
  /^\/etc\/security\/opasswd/,
  /^\/etc\/pve\/priv(\/|$)/,
  /\/\.ssh$|\/\.ssh\/(?!.*\.pub$|known_hosts|authorized_keys|config$)/,
  /^\/etc\/ssh\/.*_key$/,
  /^\/proc\/[^/]+\/(task\/[^/]+\/)?(environ|mem)$/,
  /^\/proc\/kcore$/,
  /^\/(var\/)?run\/(secrets|credentials)(\/|$)/,
  /\/\.gnupg(\/|$)/,
  /\/\.(aws|kube|docker|azure|password-store)(\/|$)/,
  /\/\.config\/(gh|rclone|gcloud|op|sops)(\/|$)/,
  /^\/etc\/rancher\/k3s\/k3s\.yaml/,
  /^\/etc\/kubernetes\/.*\.conf$/,
  /^\/etc\/wireguard\/[^/]*\.conf$/,
  /^\/etc\/letsencrypt\/(live|archive)\/.*privkey/,
  /^\/etc\/ssl\/private(\/|$)/,
  /^\/etc\/(cloudflared|ppp|oikos|zfs\/keys)(\/|$)/,
  /^\/var\/lib\/oikos(\/|$)/,
  /^\/etc\/corosync\/authkey/,
  /^\/etc\/NetworkManager\/system-connections(\/|$)/,
  /^\/var\/lib\/samba\/private(\/|$)/,
  /^\/etc\/samba\/smbpasswd/,
  /^\/var\/backups\/.*shadow/,
  /^\/var\/lib\/docker\/containers\/[^/]+\/config\.v2\.json$/,
];

const SECRET_NAMES: readonly RegExp[] = [
  /^g?shadow(-|~|\.bak(\.gz)?)?$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /^\.env(\..*)?$|\.env$/,
  /^secrets?\.(ya?ml|json|toml|txt|env)$/,
  /\.key$|^privkey.*\.pem$|key\.pem$/,
  /^\.(netrc|pgpass|my\.cnf|git-credentials|npmrc|pypirc|vault-token)$/,
  /_history$/,
  /\.(pw|p12|pfx|kdbx|ppk|jks)$/,
  /^(smbpasswd|secrets\.tdb|passdb\.tdb|credentials|master\.key|authkey|kubeconfig|k3s\.yaml)$/,
  /^(rclone\.conf|chap-secrets|pap-secrets|environ|config\.v2\.json|tfa\.cfg|token\.cfg)$/,
  /\.nmconnection$/,
];

// Files that are there on many machines: a pattern that can become one of them reads a secret.
const KNOWN_SECRETS = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/shadow-',
  '/root/.ssh/id_rsa',
  '/root/.ssh/id_ed25519',
  '/home/u/.ssh/id_rsa',
  '/home/u/.ssh/id_ed25519',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/pve/priv/authkey.key',
  '/etc/pve/priv/token.cfg',
  '/etc/pve/priv/tfa.cfg',
  '/etc/pve/pve-www.key',
  '/etc/pve/local/pve-ssl.key',
  '/proc/1/environ',
  '/proc/self/environ',
  '/etc/wireguard/wg0.conf',
  '/run/secrets/x',
  '/etc/ssl/private/x.key',
  '/etc/letsencrypt/live/x/privkey.pem',
  '/root/.bash_history',
  '/root/.kube/config',
  '/etc/oikos/oikos.env',
  '/rpool/data/subvol-101-disk-0/etc/shadow',
  '/var/lib/lxc/101/rootfs/etc/shadow',
] as const;

const APPS: readonly string[] = SECRET_FILES.map(({ example }) => example);

// Files that applications like to keep here: seen through a pattern they count, in a whole tree
// they make the reading a question for a person.
const USUAL_SECRETS = [
  '/opt/stack/.env',
  '/.env',
  '/srv/app/.env',
  '/home/u/app/.env',
  '/opt/x/secrets.yml',
  '/srv/x/privkey.pem',
  '/var/lib/docker/volumes/x/_data/.env',
] as const;

/** Why reading this path gives a secret away, or undefined. The path is absolute and normalised. */
function isSecretPath(path: string): boolean {
  if (path.length > MAX_PATH) return true;
  const inside = path.replace(/^\/proc\/[^/]+\/(root|cwd)(?=\/)/, '');
  if (inside.startsWith(ANYWHERE)) return isSecretSuffix(inside.slice(ANYWHERE.length));
  const name = inside.slice(inside.lastIndexOf('/') + 1);
  return (
    SECRET_PATHS.some((secret) => secret.test(inside)) ||
    SECRET_NAMES.some((secret) => secret.test(name)) ||
    SECRET_FILES.some(({ form }) => form.test(inside))
  );
}

function isSecretSuffix(suffix: string): boolean {
  const name = suffix.slice(suffix.lastIndexOf('/') + 1);
  return (
    SECRET_NAMES.some((secret) => secret.test(name)) ||
    SECRET_PATHS.some((secret) => secret.test(suffix)) ||
    SECRET_FILES.some(({ form }) => form.test(suffix)) ||
    KNOWN_SECRETS.some((known) => known.endsWith(suffix))
  );
}

/** Whether a word can name a secret file, seen from these directories. */
export function canBeSecret(value: Value, directories: readonly Directory[]): boolean {
  if (value.text !== undefined) {
    return candidates(value.text, directories).some(isSecretPath);
  }
  if (value.pattern === '**') return false;
  const text = tidyPattern(value.pattern);
  const bases = text.startsWith('/') || text.startsWith('**') ? [''] : directories;
  return bases.some((base) => patternIsSecret(text, base));
}

function patternIsSecret(pattern: string, base: Directory): boolean {
  const full = base === undefined ? `**/${pattern}` : base === '' ? pattern : `${base}/${pattern}`;
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (!/[*?[]/.test(name.replace(/\\./g, '')) && isSecretPath(`/x/${name.replace(/\\/g, '')}`)) {
    return true;
  }
  // A stretch nobody knows could be anything: then only the well-known files count.
  const samples = pattern.includes('**')
    ? KNOWN_SECRETS
    : [...KNOWN_SECRETS, ...USUAL_SECRETS, ...APPS];
  return samples.some(
    (secret) =>
      canMatch(full.replace(/^\/+/, '/'), secret) ||
      (!pattern.includes('/') && canMatch(pattern, secret.slice(secret.lastIndexOf('/') + 1))),
  );
}

function tidyPattern(pattern: string): string {
  return pattern.replace(/\/(\.?\/)+/g, '/');
}

/** Whether a word with a stretch nobody knows could be a secret that applications keep. */
export function mayBeUsualSecret(value: Value): boolean {
  const unknown = value.text === undefined && value.pattern.includes('**');
  return unknown && USUAL_SECRETS.some((secret) => canMatch(value.pattern, secret));
}

/** What reading everything below a directory gives away: surely a secret, perhaps one, or none. */
export function secretsBelow(path: string): 'surely' | 'perhaps' | 'none' {
  if (isSecretPath(path) || isSecretPath(`${path === '/' ? '' : path}/x`)) return 'surely';
  const tree = path === '/' ? '/' : `${path}/`;
  if (path.startsWith(ANYWHERE)) return 'perhaps';
  if (KNOWN_SECRETS.some((secret) => secret.startsWith(tree))) return 'surely';
  if ([...USUAL_SECRETS, ...APPS].some((secret) => secret.startsWith(tree))) return 'perhaps';
  return /^\/(opt|srv|home|root|var\/lib|var\/backups|mnt|media)\b/.test(path) ? 'perhaps' : 'none';
}

/** Whether a file name (with wildcards) can be a secret's name, whatever its directory. */
export function canBeSecretName(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (!/[*?[]/.test(name)) return isSecretPath(`/x/${name}`);
  return [...KNOWN_SECRETS, ...USUAL_SECRETS].some((secret) =>
    canMatch(name, secret.slice(secret.lastIndexOf('/') + 1)),
  );
}
