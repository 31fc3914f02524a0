import { keeps, type SecretFile } from './secret-file.ts';

/** Networks, backups, mail, databases and the tools around them. */
export const SYSTEM_SECRETS: readonly SecretFile[] = [
  keeps(
    'Tailscale and Headscale',
    /\/(tailscaled(\.log)?\.(state|conf)\S*|derpmap\.cached\.json|headscale\/(.*\/)?(\w*private\.key|db\.sqlite|config\.yaml))$/,
    '/var/lib/tailscale/tailscaled.state',
  ),
  keeps('cloudflared', /\/\.?cloudflared\/\S+\.(json|pem|ya?ml)$/, '/root/.cloudflared/cert.pem'),
  keeps(
    'ngrok and frp',
    /\/(ngrok\.ya?ml|frp[cs](_full)?\.(ini|toml)|rathole\.toml)$/,
    '/root/.config/ngrok/ngrok.yml',
  ),
  keeps(
    'ZeroTier, Netbird and Nebula',
    /\/(zerotier-one\/(authtoken\.secret|identity\.secret)|authtoken\.secret|netbird\/(.*\/)?(config|management)\.json|nebula\/\S+\.key)$/,
    '/var/lib/zerotier-one/authtoken.secret',
  ),
  keeps(
    'WireGuard',
    /\/wireguard\/(.*\/)?(\S+\.conf|privatekey\S*|presharedkey\S*|\S*private\S*)$|\/(wg-easy|wireguard)\/(.*\/)?wg\d+\.(conf|json)$|\/wg\d+\.(conf|json)$/,
    '/opt/wg-easy/wg0.json',
  ),
  keeps(
    'OpenVPN',
    /\/openvpn\/(.*\/)?(\S*auth\S*|\S*pass\S*|\S+\.(ovpn|key))$|\.ovpn$/,
    '/etc/openvpn/client/auth.txt',
  ),
  keeps(
    'wpa_supplicant and iwd',
    /\/(wpa_supplicant\S*\.conf|iwd\/\S+\.(psk|8021x)|hostapd\S*\.(conf|psk|wpa_psk))$/,
    '/etc/wpa_supplicant/wpa_supplicant.conf',
  ),
  keeps(
    'Netplan for Wi-Fi',
    /\/netplan\/[^/]*(wifi|wlan|wlp|wireless)[^/]*\.ya?ml$/i,
    '/etc/netplan/60-wifi.yaml',
  ),
  keeps(
    'restic',
    /\/(\.?restic([._-]?(password|pw|pass|env|key|repo)\S*)|restic\/(.*\/)?(password|pw|pass|env|key|secret)\S*|resticprofile\/(.*\/)?profiles\.(ya?ml|toml)|\.autorestic\.(ya?ml|env))$/,
    '/root/.restic-password',
  ),
  keeps(
    'Borg and Borgmatic',
    /\/(borgmatic(\.d)?\/(.*\/)?(config\S*|\S+)\.ya?ml|\.?borg[._-]?(pass\w*|key\S*)|\.config\/borg\/(keys|security)\/\S+)$/,
    '/etc/borgmatic/config.yaml',
  ),
  keeps(
    'Kopia, Duplicati and Duplicacy',
    /\/(kopia\/(.*\/)?repository\.config\S*|repository\.config\S*|Duplicati-server\.sqlite|duplicati\/\S+\.sqlite|\.duplicacy\/\S+)$/i,
    '/root/.config/kopia/repository.config',
  ),
  keeps(
    'Proxmox Backup',
    /\/proxmox-backup\/(.*\/)?(shadow\.json|token\.shadow|authkey\.key|csrf\.key|proxy\.key|tfa\.json|remote\.cfg|encryption-key\.json|master-public\.pem)$|\/storage\/\S+\.(pw|enc)$/,
    '/etc/proxmox-backup/token.shadow',
  ),
  keeps(
    'Syncthing',
    /\/syncthing\/(.*\/)?(config\.xml\S*|key\.pem|https-key\.pem)$|\/(st-sync|\.config\/syncthing|\.local\/state\/syncthing)\/(config\.xml|key\.pem)$/,
    '/root/.config/syncthing/config.xml',
  ),
  keeps(
    'Seafile',
    /\/(seafile|seahub|ccnet)\/(.*\/)?(seahub_settings\.py|seafile\.conf|ccnet\.conf|mykey\.peer)$|\/seahub_settings\.py$/,
    '/opt/seafile/conf/seahub_settings.py',
  ),
  keeps(
    'Django and Rails',
    /\/(local_settings\.py|credentials\.yml\.enc|database\.yml)$/,
    '/srv/app/config/database.yml',
  ),
  keeps(
    'MinIO and Garage',
    /\/(\.mc\/config\.json|\.minio\.sys\/.*|default\/minio|garage\.toml)$/,
    '/etc/default/minio',
  ),
  keeps(
    'PostgreSQL and MySQL',
    /\/(pg_authid|userlist\.txt|debian\.cnf|\.mylogin\.cnf|mysql\/user\.(MYD|frm)|global_priv\.\w+|client\.cnf)$/,
    '/etc/mysql/debian.cnf',
  ),
  keeps('Redis', /\/users\.acl$/, '/etc/redis/users.acl'),
  keeps(
    'RabbitMQ',
    /\/(\.erlang\.cookie|rabbitmq\/(.*\/)?definitions\.json)$/,
    '/var/lib/rabbitmq/.erlang.cookie',
  ),
  keeps(
    'Postfix, Dovecot and msmtp',
    /\/(sasl_passwd(\.\w+)?|\.?msmtprc|\.?fetchmailrc|dovecot\/(.*\/)?(users|passwd|passdb)|dovecot-(sql|ldap)\.conf\S*|ssmtp\.conf|exim4?\/passwd\.client|opendkim\/keys\/.*|dkim\/.*\.(private|key))$/,
    '/etc/postfix/sasl_passwd',
  ),
  keeps(
    'Mailcow and Mailu',
    /\/(mailcow\.conf|mailu\.env|mailserver\/(.*\/)?postfix-accounts\.cf)$/,
    '/opt/mailcow-dockerized/mailcow.conf',
  ),
  keeps(
    'Synapse and Matrix bridges',
    /\/(homeserver\.yaml|\S+\.signing\.key|registration\.ya?ml|dendrite\.ya?ml|matrix_key\.pem|conduit\.toml|continuwuity\.toml)$/,
    '/etc/matrix-synapse/homeserver.yaml',
  ),
  keeps(
    'Mastodon and others',
    /\/(\.env\.production|config\.exs|prod\.secret\.exs)$/,
    '/opt/mastodon/.env.production',
  ),
  keeps('n8n', /\/\.?n8n\/(.*\/)?(config|database\.sqlite)$/, '/home/node/.n8n/config'),
  keeps(
    'Open WebUI and LiteLLM',
    /\/(open-webui\/(.*\/)?(webui\.db|\.webui_secret_key)|\.webui_secret_key|litellm[_-]?config\.ya?ml)$/,
    '/opt/open-webui/webui.db',
  ),
  keeps(
    'BookStack and Wiki.js',
    /\/(bookstack|wiki(js)?)\/(.*\/)?(\.env\S*|config\.ya?ml)$/,
    '/opt/wikijs/config.yml',
  ),
  keeps(
    'Homepage and Homarr',
    /\/(homepage|homarr)\/(.*\/)?(services|widgets|proxmox)\.ya?ml$|\/homarr\/(.*\/)?db\.sqlite$/,
    '/opt/homepage/config/services.yaml',
  ),
  keeps(
    'CrowdSec',
    /\/crowdsec\/(.*\/)?(local_api_credentials|online_api_credentials|config)\.yaml\S*$|\/crowdsec-\w+-bouncer\.(ya?ml|conf)$/,
    '/etc/crowdsec/local_api_credentials.yaml',
  ),
  keeps(
    'ddclient and DDNS',
    /\/(ddclient\.conf|inadyn\.conf|ddns\S*\.(json|conf|ya?ml))$/,
    '/etc/ddclient.conf',
  ),
  keeps('NUT', /\/(nut|ups)\/(upsd\.users|upsmon\.conf)$/, '/etc/nut/upsd.users'),
  keeps('SNMP', /\/snmp\/(snmpd|snmp)\.conf$|\/snmpd?\.conf$/, '/etc/snmp/snmpd.conf'),
  keeps(
    'Samba and CIFS',
    /\/(\.?smb[._-]?cred\w*|\.?cifs[._-]?cred\w*|\.?smbcredentials|\.credentials?)$/i,
    '/root/.smbcredentials',
  ),
  keeps(
    'IPMI, RADIUS and LDAP',
    /\/(freeradius|raddb)\/(.*\/)?(clients\.conf|users|mods-\w+\/\S+)$|\/(ldap\.secret|libnss-ldap\.secret|krb5\.keytab|\S+\.keytab)$/,
    '/etc/krb5.keytab',
  ),
  keeps(
    'Docker and container registries',
    /\/(\.docker\/config\.json|\.dockercfg|containers\/auth\.json|registry\/htpasswd|\.?htpasswd\S*)$/,
    '/root/.docker/config.json',
  ),
  keeps(
    'Cloud and deploy tools',
    /\/(terraform\.tfstate\S*|\S+\.tfvars|\.terraformrc|\.vault[_-]?pass\w*|vault[_-]pass\w*|\.boto|\.s3cfg|\.passwd-s3fs|\.config\/hcloud\/cli\.toml|doctl\/config\.yaml|\.terraform\.d\/credentials\S*)$/,
    '/root/terraform.tfstate',
  ),
  keeps(
    'Kubernetes',
    /\/(admin|super-admin|kubelet|controller-manager|scheduler)\.conf$|\/k3s\/(.*\/)?(token|node-token|agent-token|cred\/.*)$|\/talosconfig$/,
    '/var/lib/rancher/k3s/server/token',
  ),
  keeps(
    'Package registries',
    /\/(auth\.json|\.cargo\/credentials(\.toml)?|\.gem\/credentials|\.m2\/settings\.xml|apt\/auth\.conf(\.d\/\S+)?)$/,
    '/root/.cargo/credentials',
  ),
  keeps(
    'Browsers and desktops',
    /\/(logins\.json|key4\.db|Login Data|cookies\.sqlite|kwalletd?\/\S+|keyrings\/\S+\.keyring)$/,
    '/root/.mozilla/firefox/x/logins.json',
  ),
  keeps(
    'Bots and chats',
    /\/(\.config\/signal\S*\/\S*|signal-cli\/data\/\S+|telegram\S*\.session|bot[_-]?token\S*|\.?token(\.\w+)?)$/,
    '/opt/bot/token.txt',
  ),
  keeps('UniFi', /\/unifi\/(.*\/)?system\.properties$/, '/opt/unifi/data/system.properties'),
  keeps(
    'Ansible',
    /\/(group|host)_vars\/(.*\/)?vault\.ya?ml$/,
    '/opt/ansible/group_vars/all/vault.yml',
  ),
];
