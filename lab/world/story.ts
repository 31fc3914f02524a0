/** What happened in the lab before anybody asked: log lines and a full disk. Data and shell text. */

export interface StoryLine {
  /** How long before the start of the lab. */
  readonly minutesAgo: number;
  readonly unit: string;
  readonly identifier: string;
  /** Syslog priority. */
  readonly priority: number;
  readonly message: string;
}

/** Journals by the place whose they are: a host's name, or `HOST/VMID`. */
export const STORIES: Readonly<Record<string, readonly StoryLine[]>> = {
  lab: [
    line(1_500, 'backup-mirror', 6, 'mirrored 41 files from /mnt/backup, all well'),
    line(1_445, 'backup-mirror', 6, 'mirrored 3 files from /mnt/backup, all well'),
    line(63, 'backup-mirror', 4, '/mnt/backup went away while mirroring: the disk was unplugged?'),
    line(62, 'cron', 6, '(root) CMD (/usr/local/bin/nightly-report)'),
  ],
  attic: [
    line(2_900, 'nightly-dump', 6, 'dumped CT 110 to /srv/backup/ct-110-mon.img'),
    line(1_460, 'nightly-dump', 4, '/srv/backup is 97% full'),
    line(1_459, 'nightly-dump', 6, 'dumped CT 110 to /srv/backup/ct-110-tue.img'),
    line(20, 'nightly-dump', 3, 'dump of CT 110 failed: No space left on device'),
    line(19, 'nightly-dump', 4, 'kept the unfinished file /srv/backup/ct-110-wed.img.part'),
  ],
  'lab/101': [
    line(190, 'nginx', 6, '192.0.2.50 "GET / HTTP/1.1" 200'),
    line(
      95,
      'nginx',
      3,
      'upstream timed out (110: Connection timed out) while connecting to 192.0.2.110:5432',
    ),
    line(
      94,
      'nginx',
      3,
      'upstream timed out (110: Connection timed out) while connecting to 192.0.2.110:5432',
    ),
    line(91, 'nginx', 6, '192.0.2.50 "GET /shop HTTP/1.1" 502'),
    line(80, 'nginx', 6, '192.0.2.50 "GET /shop HTTP/1.1" 200'),
  ],
  'lab/102': [
    line(130, 'dnsmasq', 6, 'reading /etc/resolv.conf'),
    line(129, 'dnsmasq', 6, 'using nameserver 192.0.2.1#53'),
    line(40, 'dnsmasq', 4, 'Maximum number of concurrent DNS queries reached (max: 150)'),
  ],
  'lab/110': [
    line(96, 'postgresql', 6, 'checkpoint starting: time'),
    line(95, 'postgresql', 3, 'FATAL: sorry, too many clients already'),
    line(94, 'postgresql', 3, 'FATAL: sorry, too many clients already'),
    line(90, 'postgresql', 6, 'checkpoint complete: wrote 4711 buffers'),
  ],
};

/** The unit whose disk is full; it lives on the host without containers. */
export const NIGHTLY_DUMP = {
  description: 'Nightly dump of the containers',
  enabled: true,
  command: '/usr/sbin/nightly-dump --into /srv/backup',
} as const;

/** A small file system of its own that is full to the last block. */
export const FULL_DISK = `set -e
mkdir -p /srv/backup
mount -t tmpfs -o size=24m,mode=755 /dev/sdb1 /srv/backup
cd /srv/backup
fallocate -l 10M ct-110-mon.img
fallocate -l 10M ct-110-tue.img
dd if=/dev/zero of=ct-110-wed.img.part bs=64k 2>/dev/null || true`;

/**
 * Installs nothing: the lab has no network and /usr is the machine's own, read-only. It puts a
 * program of the asked name where the shell finds it, so that the change is real and can be checked.
 */
export const APT_GET = `#!/bin/sh
# The lab's stand-in for apt-get: installs a little program that says what it is.
[ "\${1-}" = install ] || { echo "apt-get \${1-}: not in this lab" >&2; exit 100; }
shift
for name in "$@"; do
  case $name in
  -*) continue ;;
  *[!a-z0-9.+-]*) echo "E: Unable to locate package $name" >&2; exit 100 ;;
  esac
  echo "Reading package lists... Done"
  echo "Setting up $name (the lab's stand-in) ..."
  printf '#!/bin/sh\\necho "%s (the lab stand-in)"\\n' "$name" >"/usr/local/bin/$name"
  chmod 755 "/usr/local/bin/$name"
done
`;

function line(minutesAgo: number, name: string, priority: number, message: string): StoryLine {
  return { minutesAgo, unit: `${name}.service`, identifier: name, priority, message };
}
