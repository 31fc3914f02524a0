import { type AccessUse, gains, ofKind, word } from './use.ts';

const SOURCES = 'decides where packages come from and whose signature counts';
const TRUST = 'decides which certificate authorities are trusted';

/** Package sources, their keys, and certificate authorities. */
export const SOURCE_USES: readonly AccessUse[] = [
  ofKind(
    'package_source',
    gains(
      'apt-key add-apt-repository apt-add-repository extrepo',
      SOURCES,
      (call) => !/^(list|--list|search|finger)(?= |$)/.test(call.line),
      ['apt-key add x', 'add-apt-repository ppa:x/y'],
      ['apt-key list'],
    ),
  ),
  gains(
    'pacman-key yum-config-manager zypper rpmkeys debsign',
    SOURCES,
    (call) => !/^(list|--list|search|lr|lu|info|se|finger)(?= |$)/.test(call.line),
    ['pacman-key --add x', 'zypper ar x y'],
    ['zypper lr'],
  ),
  gains('rpm', SOURCES, /--import|--nosignature|--nodigest/, ['rpm --import x'], ['rpm -qa']),
  gains(
    'dnf yum',
    SOURCES,
    /config-manager|--add-repo|--nogpgcheck|--repofrompath|copr enable/,
    ['dnf config-manager --add-repo http://x', 'dnf install --nogpgcheck x'],
    ['dnf install x'],
  ),
  gains(
    'apt apt-get aptitude',
    SOURCES,
    /--allow-unauthenticated|--force-yes|--allow-insecure|AllowUnauthenticated|Trusted=|AllowInsecure|edit-sources|(Pre|Post)-Invoke|Dir::/,
    ['apt-get install --allow-unauthenticated x', 'apt edit-sources'],
    ['apt install x'],
  ),
  gains(
    'apk',
    SOURCES,
    /--allow-untrusted|(^| )-X|--repository|--keys-dir/,
    ['apk add --allow-untrusted x.apk'],
    ['apk add x'],
  ),
  gains(
    'pacman',
    SOURCES,
    /--(config|gpgdir)|SigLevel/,
    ['pacman --config x -S y'],
    ['pacman -S y'],
  ),
  gains(
    'pip pip3 npm pnpm yarn gem',
    SOURCES,
    /--(extra-)?index-url|--trusted-host|--registry|config set (\w*registry|global\.\S*index\S*)|--source|sources --add/,
    ['pip install --index-url http://x y', 'npm config set registry http://x'],
    ['pip install x'],
  ),
  gains(
    'flatpak snap',
    SOURCES,
    /remote-add|remote-modify|--dangerous|--devmode|--no-gpg-verify/,
    ['flatpak remote-add x http://y', 'snap install --dangerous x.snap'],
    ['snap install x'],
  ),
  gains(
    'helm',
    SOURCES,
    /^(repo|plugin) (add|install)/,
    ['helm repo add x http://y'],
    ['helm list'],
  ),
  gains('update-ca-certificates update-ca-trust c_rehash', TRUST, undefined, [
    'update-ca-certificates',
    'update-ca-trust extract',
  ]),
  gains(
    'dpkg-reconfigure',
    TRUST,
    word('ca-certificates'),
    ['dpkg-reconfigure ca-certificates'],
    ['dpkg-reconfigure tzdata'],
  ),
  gains(
    'ldconfig',
    'loads code into every program',
    /(^| )(\/|-f|-C)/,
    ['ldconfig /tmp/lib'],
    ['ldconfig'],
  ),
  gains('trust', TRUST, word('anchor'), ['trust anchor x.crt'], ['trust list']),
  gains('certutil', TRUST, /(^| )-[AMD]( |$)/, ['certutil -A -n x -t C,,'], ['certutil -L']),
  gains(
    'mkcert step',
    TRUST,
    /-install|certificate install/,
    ['mkcert -install'],
    ['mkcert x.lan'],
  ),
  gains('caddy', TRUST, word('trust|untrust'), ['caddy trust'], ['caddy reload']),
  gains('keytool', TRUST, /-import(cert)?\b/, ['keytool -importcert -file x'], ['keytool -list']),
  gains(
    'docker',
    'lets a plugin run with the rights of root',
    /^plugin (install|enable|create)/,
    ['docker plugin install x'],
    ['docker plugin ls'],
  ),
];
