import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { BASH_FACTS } from './facts.ts';
import { SECRET_NAMES, SECRET_PATHS } from './secret-files-known.ts';

const judge = (command: string) => classify({ command, facts: BASH_FACTS });
const notDestructive = (commands: readonly string[]) =>
  commands.filter((command) => judge(command).risk !== 'destructive');
const asked = (commands: readonly string[]) =>
  commands.filter((command) => judge(command).risk !== 'read_only');
const shown = (paths: string) =>
  paths
    .trim()
    .split(/\s+/)
    .map((path) => `cat ${path}`);

/** The last letter or digit replaced by a wildcard. */
const veiled = (path: string) => path.replace(/[A-Za-z0-9](?=[^A-Za-z0-9]*$)/, '?');
const quoted = (path: string) => path.replace(/ /g, '\\ ');

describe('secrets behind patterns', () => {
  it('are seen through dots, doubled slashes and the doors of a process', () => {
    const commands = [
      'cd /etc; cat ./s[h]adow',
      'cd /etc && cat ./sh?dow',
      'cd /etc; cat ./*',
      'pushd /etc; cat ./s[h]adow',
      'cat /etc/../etc/s[h]adow',
      'cat /etc/ssl/../s[h]adow',
      'tail -5 /etc/ssh/../shado[w]',
      'diff /etc/ppp/../shad* /dev/null',
      'cat ../../etc/s[h]adow',
      'cat ./../../../../etc/s[h]adow',
      'x=..; cat /etc/$x/etc/s[h]adow',
      'cd /root; cat ./.ssh/id_*',
      'cd /root/.ssh; cat ./id_[re]*',
      'cd /proc/1; cat ./e[n]viron',
      'cd /opt/app; cat ./.e*',
      'cd /etc/wireguard; cat ./wg[0].conf',
      'cd /etc; cat < ./s[h]adow',
      'cd /etc; echo "$(< ./s[h]adow)"',
      'cd /etc; while read -r l; do echo "$l"; done < ./s[h]adow',
      "pct exec 101 -- bash -c 'cd /etc; cat ./s[h]adow'",
      "grep -h '' /etc/../root/.ssh/id_*",
      'cat /proc/1/root/etc/s[h]adow',
      'cat /proc/self/cwd/etc/s[h]adow',
      'cat /etc/pve/nodes/pve/lxc/../../../priv/token.cf*',
      // variations
      'cat /./etc/./s[h]adow',
      'cat /etc//s[h]adow',
      'cat /etc/ss?/../shadow',
      'cat /etc/*/../shado?',
      'cat /etc/ssh/.?/opasswd*',
      'cat /etc/ssh/.[.]/pve/pri?/x',
      'cat /usr/../usr/../etc/gs[h]adow',
      'cd /etc/ssh; cat ../s[h]adow',
      'cd /etc/ssh; cat ./../s[h]adow',
      'cd /etc/ssh; cat .././/s[h]adow',
      'cd /; cat ./etc/s[h]adow',
      'cd /var/lib; cat ./oiko?/x',
      'cat /proc/1/task/1/root/etc/s[h]adow',
      'cat /proc/self/root/../etc/s[h]adow',
      'cat /proc/*/root/etc/shado?',
      'cat /proc/1/roo?/etc/shado?',
      'cat /proc/1/c[w]d/shado?',
      'cat /proc/1/root/proc/1/root/etc/shado?',
      'head -1 /tmp/../root/.ssh/id_rs?',
      'cat /root/../home/bob/.ssh/id_*',
      'wc -l < /etc/ssl/../shado?',
      "docker exec web sh -c 'cd /run; cat ./secrets/*'",
      'for f in ./.ssh/id_*; do cat "$f"; done',
      'cat "$PWD"/../etc/s[h]adow',
      'cat /etc/pve/local/../../priv/*',
      'cat /etc/pve/lxc/../../../priv/acme/a',
      'cat /var/run/../etc/pve/priv/a',
      'cat /var/run/../etc/pve/pri[v]/a',
    ];
    expect(notDestructive(commands)).toEqual([]);
  });

  it('are seen through every kind of set', () => {
    const commands = [
      'cat /etc/s[[:alpha:]]adow',
      'cat /etc/[[:lower:]]hadow',
      'cat /etc/s[[=h=]]adow',
      'cat /etc/s[!]]adow',
      'cat /etc/s[\\]h]adow',
      'cat /root/.ssh/id_[[:alpha:]]*',
      "find /etc -name 's[[:alpha:]]adow' -exec cat {} +",
      "find /opt -name '.e[[:lower:]]v' -exec cat {} +",
      // variations
      'cat /etc/s[[.h.]]adow',
      'cat /etc/s[^]]adow',
      'cat /etc/s[]h]adow',
      'cat /etc/s[![:digit:]]adow',
      'cat /etc/s[^[:digit:]x]adow',
      'cat /etc/s[[:alpha:][:digit:]]adow',
      'cat /etc/s[a-[.z.]]adow',
      'cat /etc/[[:alpha:]][[:alpha:]]adow',
      'cat /e[[:alpha:]]c/s[h]adow',
      'cat /proc/1/e[[:lower:]]viron',
      'cat /root/[.]ssh/id_rs[[:alpha:]]',
      "find /root -name 'id_[[:lower:]]sa' -exec cat {} +",
    ];
    expect(notDestructive(commands)).toEqual([]);
  });

  it('are seen for every user, process, guest and folder', () => {
    const commands = [
      ...shown(`/home/bob/.ssh/* /home/bob/.ssh/id_* /proc/1234/env* /proc/2/env?ron
        /proc/1/task/1/env* /rpool/data/subvol-102-disk-0/etc/s[h]adow /etc/ppp/chap-sec*
        /etc/NetworkManager/system-connections/* /etc/cloudflared/*.json /etc/ssl/private/*.pem
        /etc/pve/priv/storage/* /etc/pve/priv/acme/* /etc/pve/nodes/*/* /etc/pve/nodes/*/pve-ssl.*
        /root/.gnupg/* /root/.aws/* /root/.config/rclone/* /root/.config/*/*.conf
        /home/bob/.config/gh/* /var/lib/samba/private/* /etc/samba/smbpassw[d]
        /etc/kubernetes/*.conf /etc/rancher/k3s/* /etc/corosync/* /etc/security/* /var/backups/*
        /etc/zfs/keys/* /run/credentials/*/* /var/lib/docker/containers/*/*.json /var/lib/oikos/*
        /root/.netr? /root/.git-cred* /root/.pgpas? /root/.my* /root/.npm* /root/.zsh_hist*
        /etc/letsencrypt/archive/x/priv* /etc/wireguard/wg1.con? /etc/openvpn/*.key /etc/openvpn/*
        /opt/immich/.en? /opt/immich/.* /srv/docker/x/.e?v /home/bob/stack/.e*
        /var/lib/docker/volumes/y/_data/.e*`),
      'for f in /etc/ppp/*; do cat "$f"; done',
      'cd /etc/ppp && cat chap*',
      // variations
      ...shown(`/home/alice/.kube/conf* /home/alice/.aws/cred* /home/alice/.gnupg/*
        /home/*/.config/gh/* /home/b?b/.netr? /proc/77/task/78/env* /proc/[0-9]*/env*
        /var/lib/lxc/205/rootfs/etc/s[h]adow /var/lib/lxc/205/rootfs/root/.ss?/*
        /tank/subvol-9-disk-1/root/.ssh/id_* /rpool/data/sub*102*/etc/s[h]ado?
        /data/x/.ku[b]e/conf* /mnt/x/.ss?/id_* /mnt/old/home/bob/.bash_hist* /opt/a/b/c/secret?.yml
        /opt/a/privke?.pem /srv/x/tls/*.key /srv/x/*.p12 /tmp/x/*.kdbx /etc/oikos/*.env
        /etc/pve/local/*.key /etc/ceph/*.keyring /var/lib/pve-cluster/config.db*
        /var/lib/pve-cluster/* /etc/swanctl/private/* /etc/ipsec.secret? /etc/ipsec.d/private/*
        /var/crash/* /var/lib/systemd/coredump/* /etc/*-credentials /etc/letsencrypt/live/*/*
        /home/bob/.local/share/keyrings/* /run/secrets/* /etc/nas-cred* /etc/wireguard/wg1*
        /etc/pve/pri?/stor*/a /var/lib/oiko*/x/y /run/secre*/db_pass /root/.gnup?/pubring.kbx
        /root/.pass*-store/a/b.gpg /etc/ss[l]/private/a /etc/cloudfl*/x.json /etc/pp?/*
        /srv/x/site.ke? /srv/x/prod.en? /home/bob/.mysql_hist* /opt/y/cert.pf[x]`),
    ];
    expect(notDestructive(commands)).toEqual([]);
  });

  it.each([...SECRET_PATHS, ...SECRET_NAMES])('$form has examples and they fit', (row) => {
    expect(row.examples.length).toBeGreaterThan(0);
    expect(row.examples.filter((example) => !row.form.test(example))).toEqual([]);
  });

  it('are all seen when the last letter is a wildcard and the owner another', () => {
    const named = SECRET_NAMES.flatMap(({ examples }) => examples.map((name) => `/x/y/${name}`));
    const paths = [...SECRET_PATHS.flatMap(({ examples }) => examples), ...named].map(quoted);
    const moved = paths.map((path) =>
      path
        .replace(/^\/root\//, '/home/bob/')
        .replace(/^\/proc\/1\//, '/proc/4711/')
        .replace(/(subvol-|lxc\/)101/, '$1999'),
    );
    const commands = [...paths, ...moved].map(veiled).map((path) => `head ${path}`);
    expect(notDestructive(commands)).toEqual([]);
  });

  it('are found by find in any case', () => {
    expect(
      notDestructive([
        "find /root -iname 'ID_RSA' -exec cat {} +",
        "find /etc -iname 'SHADOW' -exec cat {} +",
        "find /opt -iname '.EN?' -exec cat {} +",
        "find /root -iname 'ID_*' -exec cat {} +",
        "find /etc -ipath '*/SHADOW' -exec cat {} +",
        "find /etc -path '*/s[h]adow' -exec cat {} +",
        "find /opt -iname 'PRIVKEY?.PEM' | xargs cat",
      ]),
    ).toEqual([]);
  });

  it('count in a whole tree', () => {
    const trees =
      '/etc/NetworkManager /etc/kubernetes /etc/rancher /etc/corosync /etc/samba /etc/ipsec.d';
    expect(notDestructive(trees.split(' ').map((tree) => `grep -rn '' ${tree}`))).toEqual([]);
  });

  it('count by their literal names', () => {
    expect(
      notDestructive([
        ...shown(`/var/lib/pve-cluster/config.db /etc/ipsec.secrets /etc/ipsec.d/private/a.pem
          /etc/swanctl/private/a.pem /etc/ceph/ceph.client.admin.keyring /etc/redis/redis.conf
          /etc/iscsi/iscsid.conf /etc/davfs2/secrets /etc/bind/named.conf.tsig
          /boot/firmware/userconf.txt /etc/fstab.cifs-credentials /etc/nas-credentials
          /var/crash/a.crash /var/lib/systemd/coredump/core.x /var/lib/systemd/credential.secret
          /root/.local/share/keyrings/login.keyring /config/config.xml
          /opt/unifi/data/system.properties /etc/docker/key.json
          /srv/ansible/group_vars/all/vault.yml`),
        'strings /var/lib/pve-cluster/config.db-wal',
        "cat '/root/.config/Bitwarden CLI/data.json'",
      ]),
    ).toEqual([]);
    expect(judge('strings /swapfile').risk).toBe('config_mutation');
  });

  it('leave what only comes near readable', () => {
    const commands = [
      'ls /etc/*',
      'ls -la /root/.ssh/*',
      'grep -r listen /etc/nginx',
      "find /etc/nginx -name '*.vhost' -exec cat {} +",
      "find /var/log -iname 'SYSLOG*' -exec tail -n 3 {} +",
      'cd /etc/nginx && cat ./sites-enabled/*',
      'cd /var/log; tail -n 5 ./syslog*',
      'for f in /sys/class/thermal/thermal_zone*; do cat "$f/temp"; done',
      ...shown(`/etc/nginx/sites-enabled/* /var/log/*.log /etc/os-relea* /proc/cpuinf*
        /etc/pve/lxc/*.conf /sys/class/net/*/address /etc/nginx/conf.d/*.conf /etc/cron.d/*
        /etc/apt/sources.list.d/* /etc/apt/sources.list.d/*.list /etc/pve/qemu-server/*.conf
        /etc/pve/nodes/*/lxc/*.conf /etc/pve/nodes/*/qemu-server/10?.conf /etc/pve/storage.cf?
        /etc/pve/corosync.con? /root/.ssh/*.pub /etc/ssh/*.pub /etc/ssh/sshd_conf*
        /etc/systemd/system/*.service /etc/systemd/system/*.d/*.conf /etc/resolv.con[f]
        /etc/host[s] /etc/passw? /etc/group? /etc/fsta? /proc/[0-9]*/status /proc/*/cmdline
        /proc/1/stat* /proc/net/de? /sys/block/sd?/queue/* /sys/class/hwmon/hwmon*/temp*_input
        /sys/class/net/*/statistics/* /sys/devices/system/cpu/cpu?/cpufreq/scaling_governor
        /var/log/syslog* /var/log/nginx/access.log* /var/log/apt/hist* /var/log/auth.lo?
        /etc/*-release /etc/debian_versio[n] /etc/modprobe.d/*.conf /etc/sysctl.d/*.conf
        /etc/network/interfaces.d/* /etc/logrotate.d/* /etc/default/gru? /boot/config-*
        /etc/mysql/mariadb.conf.d/* /etc/fail2ban/jail.d/*.conf /etc/../etc/os-relea*
        /etc/nginx/./sites-enabled/*.conf /etc/nginx/*.* /etc/nginx/mime* /etc/ngin?/nginx.conf /var/lo?/syslog
        /home/*/.ss?/*.pub /opt/app/docker-compose.y*`),
    ];
    expect(asked(commands)).toEqual([]);
  });
});
