/** A kind of secret by path or name, with files of the kind: patterns are tried against these. */
export interface KnownSecret {
  readonly form: RegExp;
  readonly examples: readonly string[];
}

/** Secrets of the system itself, by absolute path. */
export const SECRET_PATHS: readonly KnownSecret[] = [
  {
    form: /(^|\/)etc\/g?shadow/,
    examples: [
      '/etc/shadow',
      '/etc/gshadow',
      '/etc/shadow-',
      '/rpool/data/subvol-101-disk-0/etc/shadow',
      '/var/lib/lxc/101/rootfs/etc/shadow',
    ],
  },
  { form: /^\/etc\/security\/opasswd/, examples: ['/etc/security/opasswd'] },
  {
    form: /^\/etc\/pve\/priv(\/|$)/,
    examples: [
      '/etc/pve/priv/authkey.key',
      '/etc/pve/priv/token.cfg',
      '/etc/pve/priv/tfa.cfg',
      '/etc/pve/priv/storage/x',
      '/etc/pve/priv/acme/x',
    ],
  },
  {
    form: /^\/etc\/pve\/(.*\/)?[^/]*\.key$/,
    examples: [
      '/etc/pve/pve-www.key',
      '/etc/pve/local/pve-ssl.key',
      '/etc/pve/nodes/x/pve-ssl.key',
    ],
  },
  {
    form: /^\/var\/lib\/pve-cluster\/config\.db/,
    examples: ['/var/lib/pve-cluster/config.db', '/var/lib/pve-cluster/config.db-wal'],
  },
  {
    form: /\/\.ssh$|\/\.ssh\/(?!.*\.pub$|known_hosts|authorized_keys|config$)/,
    examples: ['/root/.ssh/id_rsa', '/root/.ssh/id_ed25519'],
  },
  {
    form: /^\/etc\/ssh\/.*_key$/,
    examples: ['/etc/ssh/ssh_host_ed25519_key', '/etc/ssh/ssh_host_rsa_key'],
  },
  {
    form: /^\/proc\/[^/]+\/(task\/[^/]+\/)?(environ|mem)$/,
    examples: ['/proc/1/environ', '/proc/self/environ', '/proc/1/task/1/environ', '/proc/1/mem'],
  },
  { form: /^\/proc\/kcore$/, examples: ['/proc/kcore'] },
  {
    form: /^\/(var\/)?run\/(secrets|credentials)(\/|$)/,
    examples: ['/run/secrets/x', '/run/credentials/x/x', '/var/run/secrets/x'],
  },
  { form: /\/\.gnupg(\/|$)/, examples: ['/root/.gnupg/x'] },
  {
    form: /\/\.(aws|kube|docker|azure|password-store)(\/|$)/,
    examples: [
      '/root/.aws/credentials',
      '/root/.kube/config',
      '/root/.docker/config.json',
      '/root/.azure/x',
      '/root/.password-store/x',
    ],
  },
  {
    form: /\/\.config\/(gh|rclone|gcloud|op|sops|Bitwarden[^/]*)(\/|$)/,
    examples: [
      '/root/.config/gh/hosts.yml',
      '/root/.config/rclone/rclone.conf',
      '/root/.config/gcloud/x',
      '/root/.config/Bitwarden CLI/data.json',
    ],
  },
  { form: /\/\.local\/share\/keyrings(\/|$)/, examples: ['/root/.local/share/keyrings/x'] },
  { form: /^\/etc\/rancher\/k3s\/k3s\.yaml/, examples: ['/etc/rancher/k3s/k3s.yaml'] },
  { form: /^\/etc\/kubernetes\/.*\.conf$/, examples: ['/etc/kubernetes/admin.conf'] },
  { form: /^\/etc\/wireguard\/[^/]*\.conf$/, examples: ['/etc/wireguard/wg0.conf'] },
  {
    form: /^\/etc\/letsencrypt\/(live|archive)\/.*privkey/,
    examples: ['/etc/letsencrypt/live/x/privkey.pem', '/etc/letsencrypt/archive/x/privkey1.pem'],
  },
  { form: /^\/etc\/ssl\/private(\/|$)/, examples: ['/etc/ssl/private/x.key'] },
  {
    form: /^\/etc\/(cloudflared|ppp|oikos|zfs\/keys)(\/|$)/,
    examples: [
      '/etc/cloudflared/x.json',
      '/etc/ppp/chap-secrets',
      '/etc/oikos/oikos.env',
      '/etc/zfs/keys/x',
    ],
  },
  { form: /^\/var\/lib\/oikos(\/|$)/, examples: ['/var/lib/oikos/x'] },
  { form: /^\/etc\/corosync\/authkey/, examples: ['/etc/corosync/authkey'] },
  {
    form: /^\/etc\/NetworkManager\/system-connections(\/|$)/,
    examples: ['/etc/NetworkManager/system-connections/x.nmconnection'],
  },
  { form: /^\/var\/lib\/samba\/private(\/|$)/, examples: ['/var/lib/samba/private/x'] },
  { form: /^\/etc\/samba\/smbpasswd/, examples: ['/etc/samba/smbpasswd'] },
  { form: /^\/var\/backups\/.*shadow/, examples: ['/var/backups/shadow.bak'] },
  {
    form: /^\/var\/lib\/docker\/containers\/[^/]+\/config\.v2\.json$/,
    examples: ['/var/lib/docker/containers/x/config.v2.json'],
  },
  { form: /^\/etc\/ipsec\.secrets/, examples: ['/etc/ipsec.secrets'] },
  {
    form: /^\/etc\/(ipsec\.d|swanctl)\/(private|rsa|ecdsa|pkcs8|pkcs12)(\/|$)/,
    examples: ['/etc/ipsec.d/private/x', '/etc/swanctl/private/x'],
  },
  {
    form: /^\/(etc|var\/lib)\/ceph\/.*keyring$/,
    examples: ['/etc/ceph/ceph.client.admin.keyring', '/var/lib/ceph/osd/x/keyring'],
  },
  { form: /^\/etc\/(redis|valkey)\/[^/]*\.conf$/, examples: ['/etc/redis/redis.conf'] },
  { form: /^\/etc\/iscsi\/iscsid\.conf$/, examples: ['/etc/iscsi/iscsid.conf'] },
  { form: /^\/etc\/davfs2\/secrets/, examples: ['/etc/davfs2/secrets'] },
  { form: /^\/etc\/bind\/.*(tsig|rndc\.key)/, examples: ['/etc/bind/named.conf.tsig'] },
  { form: /^\/boot\/(firmware\/)?userconf(\.txt)?$/, examples: ['/boot/firmware/userconf.txt'] },
  {
    form: /^\/etc\/[^/]*credentials?$/,
    examples: ['/etc/fstab.cifs-credentials', '/etc/x-credentials'],
  },
  { form: /^\/var\/crash\/./, examples: ['/var/crash/x'] },
  {
    form: /^\/var\/lib\/systemd\/(coredump(\/|$)|credential\.secret)/,
    examples: ['/var/lib/systemd/coredump/x', '/var/lib/systemd/credential.secret'],
  },
  { form: /^\/config\/config\.xml$/, examples: ['/config/config.xml'] },
  { form: /^\/etc\/docker\/key\.json$/, examples: ['/etc/docker/key.json'] },
];

/** Secrets by the last part of their path, whatever the directory. */
export const SECRET_NAMES: readonly KnownSecret[] = [
  { form: /^g?shadow(-|~|\.bak(\.gz)?)?$/, examples: ['shadow', 'gshadow', 'shadow-'] },
  {
    form: /^id_(rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
    examples: ['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519'],
  },
  {
    // What is shipped as an example holds no secret yet.
    form: /^\.env(\.(?!(example|sample|template|dist)$).*)?$|\.env$/,
    examples: ['.env', '.env.local'],
  },
  {
    form: /^secrets?\.(ya?ml|json|toml|txt|env)$/,
    examples: ['secrets.yml', 'secrets.yaml', 'secret.json'],
  },
  { form: /\.key$|^privkey.*\.pem$|key\.pem$/, examples: ['server.key', 'privkey.pem', 'key.pem'] },
  {
    form: /^\.(netrc|pgpass|my\.cnf|git-credentials|npmrc|pypirc|vault-token)$/,
    examples: [
      '.netrc',
      '.pgpass',
      '.my.cnf',
      '.git-credentials',
      '.npmrc',
      '.pypirc',
      '.vault-token',
    ],
  },
  { form: /_history$/, examples: ['.bash_history', '.zsh_history', '.psql_history'] },
  {
    form: /\.(pw|p12|pfx|kdbx|ppk|jks)$/,
    examples: ['vault.pw', 'x.p12', 'x.pfx', 'x.kdbx', 'x.ppk', 'x.jks'],
  },
  {
    form: /^(smbpasswd|secrets\.tdb|passdb\.tdb|credentials|master\.key|authkey|kubeconfig|k3s\.yaml)$/,
    examples: [
      'smbpasswd',
      'secrets.tdb',
      'passdb.tdb',
      'credentials',
      'master.key',
      'authkey',
      'kubeconfig',
      'k3s.yaml',
    ],
  },
  {
    form: /^(rclone\.conf|chap-secrets|pap-secrets|environ|config\.v2\.json|tfa\.cfg|token\.cfg)$/,
    examples: [
      'rclone.conf',
      'chap-secrets',
      'pap-secrets',
      'environ',
      'config.v2.json',
      'tfa.cfg',
      'token.cfg',
    ],
  },
  { form: /\.nmconnection$/, examples: ['wifi.nmconnection'] },
];

// Files that applications like to keep here: seen through a pattern they count, in a whole tree
// they make the reading a question for a person.
export const USUAL_SECRETS = [
  '/opt/stack/.env',
  '/.env',
  '/srv/app/.env',
  '/home/u/app/.env',
  '/opt/x/secrets.yml',
  '/srv/x/privkey.pem',
  '/var/lib/docker/volumes/x/_data/.env',
] as const;
