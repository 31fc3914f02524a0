import { type AccessUse, gains, ofKind, word } from './use.ts';

const ACCOUNT = 'changes accounts, groups or passwords';
const SQL_ACCOUNT =
  /\b(create|alter|drop|rename)\s+(user|role|login)\b|\bgrant\b.*\bto\b|\brevoke\b.*\bfrom\b|\bset\s+password\b|\bidentified\s+by\b|\bupdate\s+(mysql\.user|pg_authid|pg_shadow)\b|\.(createUser|updateUser|grantRolesToUser|dropUser|changeUserPassword)\b/i;
const SETUID =
  /(^| |=)(-m)?0*[2-7][0-7]{3}(?= |$)|(^| |,|=|-m)([ugoa]*[+=][rwxXt]*s[rwxXst]*)(?=,| |$)/;

/** Settings that name a program, a folder of them, or a file with further settings. */
const GIT_SETTING =
  /^(-\S+ (\S+ )?)*config\b.*\b((alias|diff|merge|filter|credential|gpg|pager|sequence|difftool|mergetool|include|includeIf|browser|man|web|safe)\.|init\.templateDir|submodule\.\S+\.update|remote\.\S+\.(uploadpack|receivepack|vcs)|protocol\.(\S+\.)?allow|\S+\.\w*(command|cmd|hooks?|hooksPath|helper|program|editor|pager|browser|gitProxy|driver|tool|tunnel|smtpServer|exec|askPass|fsmonitor|diffFilter)(?=[ =]|$))/i;

/** Accounts, rights, keys, and what runs by itself. */
export const ACCOUNT_USES: readonly AccessUse[] = [
  gains(
    'ipmitool',
    'changes who may steer the machine from outside',
    word('user|channel|lan|access'),
    ['ipmitool user set password 2 x', 'ipmitool lan set 1 access on'],
    ['ipmitool power status'],
  ),
  gains(
    'useradd adduser usermod groupadd groupmod gpasswd chsh chfn chpasswd chgpasswd newusers vipw vigr smbpasswd addgroup userdel deluser groupdel delgroup pwconv newgidmap newuidmap homectl userdbctl kadmin kadmin.local ldapadd ldapmodify ldappasswd samba-tool htpasswd htdigest mosquitto_passwd saslpasswd2 authselect pam-auth-update realm adcli',
    ACCOUNT,
    (call) => !/^(--help|--version)$/.test(call.line),
    ['useradd -m bob', 'htpasswd -bc /x bob pw'],
    ['useradd --help'],
  ),
  gains(
    'passwd',
    ACCOUNT,
    /^(?!(-S|--status)(?= |$))/,
    ['passwd root', 'passwd -l x'],
    ['passwd -S x'],
  ),
  gains('chage', ACCOUNT, /^(?!(-l|--list)(?= |$))/, ['chage -E 0 bob'], ['chage -l bob']),
  gains(
    'pdbedit',
    ACCOUNT,
    /(^| )-\w*[axmr]\b|--(create|delete|modify)/,
    ['pdbedit -a bob'],
    ['pdbedit -L'],
  ),
  gains('visudo visudoers', 'decides who may act as root', /^(?!-c)/, ['visudo'], ['visudo -c']),
  gains(
    'loginctl',
    'lets programs of a user run without a login',
    word('enable-linger'),
    ['loginctl enable-linger bob'],
    ['loginctl list-users'],
  ),
  gains(
    'mysql mariadb psql mongosh mongo mysqladmin mariadb-admin sqlite3 clickhouse-client influx createuser dropuser redis-cli valkey-cli',
    'changes who may use the database',
    (call) =>
      SQL_ACCOUNT.test(`${call.line}\n${call.source}`) ||
      /(^| )password( |$)|acl (setuser|deluser|load)|config set (requirepass|masterauth)|^(user|auth) (create|delete|password)/i.test(
        call.line,
      ),
    [
      "mysql -e 'CREATE USER bob'",
      "psql -c 'alter role bob superuser'",
      'redis-cli config set requirepass x',
    ],
    ["psql -c 'select 1'"],
  ),
  gains(
    'python3 python perl ruby node php',
    'lets a program run with the rights of its owner, whoever starts it',
    /chmod\W+(.*\D)?0o?[2-7][0-7]{3}\b/,
    ["python3 -c 'os.chmod(x, 0o4755)'"],
    ["python3 -c 'os.chmod(x, 0o755)'"],
  ),
  gains(
    'ansible',
    ACCOUNT,
    /(^| )(-m|--module-name)[ =]?([\w.]+\.)?(user|group|authorized_key|cron|at|service|systemd|sysctl|ufw|iptables|nftables|firewalld|apt_repository|apt_key|yum_repository|rpm_key|pamd|sudoers|mount|htpasswd|\w+_user)( |$)/,
    ["ansible all -m user -a 'name=bob'", 'ansible nas -m ansible.posix.authorized_key -a x'],
    ['ansible all -m ping', 'ansible all -m copy -a x'],
  ),
  gains(
    'git',
    'runs commands whenever a repository is used',
    GIT_SETTING,
    [
      'git config --system core.hooksPath /x',
      "git config alias.x '!id'",
      'git config --global include.path /x',
      'git config includeIf.gitdir:/srv/.path /x',
      'git config trailer.x.command id',
      'git config core.gitProxy id',
      "git config submodule.x.update '!id'",
      'git config set init.templateDir /x',
    ],
    [
      'git config user.name x',
      'git config init.defaultBranch main',
      'git config pull.rebase true',
      'git config remote.origin.url x',
      'git log',
    ],
  ),
  gains(
    'git',
    'runs commands whenever a repository is used',
    /\b(clone|init)\b.* (-c|--config|--template)/,
    ['git clone -c core.fsmonitor=x a b', 'git init --template=/x'],
    ['git clone a b'],
  ),
  gains(
    'ceph',
    'changes who may use the storage cluster',
    /^auth (add|get-or-create(-key)?|caps|import|rm|del|rotate)\b/,
    ['ceph auth get-or-create client.x', 'ceph -n client.admin --cluster c auth add x'],
    ['ceph auth ls', 'ceph status', 'ceph -n client.admin auth ls'],
  ),
  gains(
    'vault',
    'changes who may read the secrets',
    /^(token (create|renew)|auth (enable|tune)|policy (write|delete)|operator (init|unseal|rekey|generate-root)|write (auth|identity|sys)\/)/,
    ['vault token create', 'vault auth enable userpass'],
    ['vault status'],
  ),
  gains('hass', 'changes accounts or passwords of an application', word('auth'), [
    'hass --script auth add bob pw',
  ]),
  gains(
    'pihole',
    'changes accounts or passwords of an application',
    /(^| )(-a -p|setpassword|-p)(?= |$)/,
    ['pihole -a -p x', 'pihole setpassword x'],
    ['pihole status'],
  ),
  gains('createsuperuser', 'changes accounts or passwords of an application', undefined, [
    'createsuperuser',
  ]),
  gains('createuser dropuser', 'changes who may use the database', undefined, ['createuser bob']),
  gains(
    'rabbitmqctl',
    'changes who may use the queue',
    word('\\w*(user|password|permissions|vhost)\\w*'),
    ['rabbitmqctl add_user bob pw'],
    ['rabbitmqctl status'],
  ),
  gains(
    'gitea forgejo occ php grafana-cli grafana ak authelia authentik synapse_register_new_matrix_user register_new_matrix_user vaultwarden paperless python3 python manage.py mc minio headscale step-ca cscli garage nextcloud.occ',
    'changes accounts or passwords of an application',
    /(admin|user|users|apikeys?|key|preauthkeys?|policy)[ :_-](user |create|add|delete|reset|resetpassword|change|set|generate|import|enable|disable|createsuperuser|attach)|reset-admin-password|create_recovery_key|register_new_matrix_user|createsuperuser|changepassword|(^| )-u \S+ -p /,
    [
      'gitea admin user create --name bob',
      'php occ user:add bob',
      'grafana-cli admin reset-admin-password x',
      'headscale preauthkeys create',
    ],
    ['gitea --version', 'php occ status'],
  ),
  gains(
    'kubectl k3s oc',
    'changes who may use the cluster',
    /(^| )(create|delete|edit|patch|set|apply) (\S+ )?(serviceaccount|sa|token|(cluster)?role(binding)?|secret)s?\b|(^| )token (create|rotate)|(^| )certificate approve/,
    ['kubectl create clusterrolebinding x --clusterrole=cluster-admin'],
    ['kubectl create deployment x'],
  ),
  gains('ssh-copy-id ssh-import-id ssh-import-id-gh', 'lets a further key log in', undefined, [
    'ssh-copy-id root@pve',
  ]),
  gains(
    'ssh-keygen',
    'makes or changes a key',
    (call) => !/(^| )-(l\w*|F|R|B|H|y)(?= |$)/.test(call.line),
    ['ssh-keygen -t ed25519 -f x'],
    ['ssh-keygen -lf x.pub', 'ssh-keygen -R host'],
  ),
  gains('ssh-add ssh-agent', 'hands out a key', /^(?!-[lL])/, ['ssh-add x'], ['ssh-add -l']),
  gains(
    'chmod install mkdir cp rsync',
    'lets a program run with the rights of its owner, whoever starts it',
    SETUID,
    ['chmod u+s /tmp/sh', 'chmod 4755 x', 'chmod a+x,u+s f', 'install -m 4755 a b'],
    ['chmod 755 x', 'chmod 1777 /tmp', 'chmod g+w x', 'chmod a=rx x'],
  ),
  gains('setcap', 'lets a program do what otherwise only root may', /^(?!-v)/, [
    'setcap cap_setuid+ep /tmp/x',
  ]),
  gains(
    'crontab',
    'runs commands later by itself',
    (call) => !/^(-l|-u \S+ -l|-l -u \S+)$/.test(call.line),
    ['crontab -e', 'crontab /tmp/x', 'crontab -r'],
    ['crontab -l'],
  ),
  gains(
    'at batch',
    'runs commands later by itself',
    /^(?!(-l|-V|-c \d+)$)/,
    ['at now', 'batch'],
    ['at -l'],
  ),
  gains('systemd-run', 'runs a command by itself, apart from the login', undefined, [
    'systemd-run --on-calendar=daily x',
  ]),
  ofKind(
    'unit',
    gains(
      'systemctl',
      'lets a unit start by itself or changes what it does',
      word(
        'enable|reenable|preset|preset-all|link|edit|revert|add-wants|add-requires|set-environment|import-environment|set-default|bind',
      ),
      ['systemctl enable --now x', 'systemctl link /opt/x.service', 'systemctl edit nginx'],
      ['systemctl is-enabled x', 'systemctl restart x', 'systemctl disable x'],
    ),
  ),
  gains(
    'systemctl service rc-service',
    'opens a way to log in',
    /(^| )(start|restart|enable|unmask|reload)( \S+)* (ssh|sshd|dropbear|telnetd?|xrdp|vncserver|rsh|rlogin|cockpit|webmin|ttyd|shellinabox|gotty|x11vnc|guacd)([.@]\S*)?(?= |$)|(^| )(ssh|sshd|dropbear|telnetd?|xrdp|cockpit) start/,
    ['systemctl start dropbear', 'service telnetd start'],
    ['systemctl start nginx', 'service ssh status'],
  ),
  gains(
    'apt apt-get aptitude apk dnf yum pacman zypper nala',
    'brings a service by which people log in',
    /(^| )(install|add|-S\w*|in)( \S+)* (openssh(-server)?|dropbear\S*|telnetd|xrdp|cockpit\S*|webmin|tailscale|ttyd|shellinabox|x11vnc|tigervnc\S*|rsh-server|vsftpd)(?= |$)/,
    ['apt-get install -y openssh-server'],
    ['apt-get install nginx'],
  ),
  ofKind(
    'unit',
    gains(
      'rc-update update-rc.d chkconfig insserv initctl',
      'lets a service start by itself or stops it from doing so',
      /(^| )(add|del|enable|disable|on|off|defaults|remove)(?= |$)/,
      ['rc-update add x default'],
      ['rc-update show'],
    ),
  ),
  gains(
    'udevadm',
    'runs commands when hardware asks',
    word('control|trigger'),
    ['udevadm control --reload-rules'],
    ['udevadm info /dev/sda'],
  ),
  gains(
    'sysctl',
    'lets the kernel run a program',
    /kernel\.(core_pattern|modprobe|hotplug)|fs\.binfmt_misc|fs\.suid_dumpable/,
    ['sysctl -w kernel.core_pattern=x'],
    ['sysctl -w vm.swappiness=10'],
  ),
];
