import { keeps, type SecretFile } from './secret-file.ts';

/** Home automation, web, media, code and watching. */
export const APP_SECRETS: readonly SecretFile[] = [
  keeps(
    'Home Assistant',
    /\/\.storage\/(auth|auth_provider\.\w+|auth_module\.\w+|core\.config_entries|onboarding|http\.auth|cloud|application_credentials|mobile_app|hacs\.\w+)$/,
    '/opt/homeassistant/.storage/auth',
  ),
  keeps(
    'Home Assistant',
    /\/\.cloud\/\w+\.(json|pem)$/,
    '/opt/homeassistant/.cloud/production_auth.json',
  ),
  keeps('ESPHome', /\/esphome\/(.*\/)?secrets\.ya?ml$/, '/opt/esphome/secrets.yaml'),
  keeps(
    'zigbee2mqtt',
    /\/zigbee2mqtt\/(.*\/)?(configuration\.yaml|coordinator_backup\.json)$/,
    '/opt/zigbee2mqtt/data/configuration.yaml',
  ),
  keeps(
    'Z-Wave JS UI',
    /\/(zwave-?js(-ui)?|zwavejs2mqtt|zwave)\/(.*\/)?(settings|users)\.json$/,
    '/opt/zwave-js-ui/settings.json',
  ),
  keeps(
    'Node-RED',
    /\/(flows_cred\w*\.json|node-red\/(.*\/)?(settings\.js|\.config\.\w+\.json))$/,
    '/opt/node-red/data/flows_cred.json',
  ),
  keeps(
    'Mosquitto',
    /\/mosquitto\/(.*\/)?(passwd|passwords?(\.\w+)?|pwfile|dynamic-security\.json)$/,
    '/etc/mosquitto/passwd',
  ),
  keeps(
    'EMQX',
    /\/emqx\/(.*\/)?(emqx\.conf|\.erlang\.cookie|configs\/cluster\.hocon)$/,
    '/opt/emqx/data/configs/cluster.hocon',
  ),
  keeps(
    'Frigate',
    /\/frigate\/(.*\/)?(config\.ya?ml|\.jwt_secret|frigate\.db)$/,
    '/opt/frigate/config/config.yml',
  ),
  keeps('Scrypted', /\/scrypted\/(.*\/)?scrypted\.db$/, '/opt/scrypted/volume/scrypted.db'),
  keeps(
    'Homebridge',
    /\/\.?homebridge\/(.*\/)?(config|auth|\.uix-secrets)(\.json)?$/,
    '/var/lib/homebridge/config.json',
  ),
  keeps('Traefik', /\/acme\w*\.json$/, '/opt/traefik/acme.json'),
  keeps(
    'Caddy',
    /\/caddy\/(.*\/)?(autosave\.json|acme\/.*\.(key|json))$/,
    '/var/lib/caddy/.config/caddy/autosave.json',
  ),
  keeps(
    'Nginx Proxy Manager',
    /\/(npm|nginx-?proxy-?manager|nginxproxymanager)\/(.*\/)?(database\.sqlite|keys\.json|production\.json)$/,
    '/opt/npm/data/keys.json',
  ),
  keeps(
    'SWAG',
    /\/(dns-conf|dns_plugins)\/\w+\.(ini|conf)$|\/letsencrypt\/(.*\/)?credentials(\.ini)?$/,
    '/opt/swag/dns-conf/cloudflare.ini',
  ),
  keeps(
    'certbot',
    /\/(letsencrypt|certbot)\/(.*\/)?(accounts\/.*|\w+\.ini)$|\/\.secrets\//,
    '/root/.secrets/cloudflare.ini',
  ),
  keeps(
    'acme.sh',
    /\/\.?acme\.sh\/(.*\/)?(account\.conf|\S+\.key)$/,
    '/root/.acme.sh/account.conf',
  ),
  keeps(
    'Authelia',
    /\/authelia\/(.*\/)?(configuration(\.\w+)?\.ya?ml|users(_database)?\.ya?ml|db\.sqlite3|secrets\/.*)$/,
    '/opt/authelia/configuration.yml',
  ),
  keeps(
    'Authentik',
    /\/authentik\/(.*\/)?(config\.ya?ml|local\.env\.yml)$/,
    '/opt/authentik/config.yml',
  ),
  keeps(
    'Keycloak',
    /\/keycloak\/(.*\/)?(keycloak\.conf|\S+\.keystore)$/,
    '/opt/keycloak/conf/keycloak.conf',
  ),
  keeps(
    'LLDAP',
    /\/lldap\/(.*\/)?(lldap_config\.toml|users\.db|server_key)$/,
    '/opt/lldap/lldap_config.toml',
  ),
  keeps(
    'Vaultwarden',
    /\/(vaultwarden|bitwarden|bw-data|vw-data)\/(.*\/)?(config\.json|rsa_key\S*|db\.sqlite3\S*)$/,
    '/opt/vaultwarden/data/config.json',
  ),
  keeps(
    'HashiCorp Vault',
    /\/(vault|openbao)\/(.*\/)?(init\.json|unseal\S*|root[_-]token\S*|vault\.hcl)$/,
    '/opt/vault/init.json',
  ),
  keeps(
    'Infisical and others',
    /\/(encryption|master|session|jwt|cookie|erlang)[._-]?(key|secret|cookie)(\.\w+)?$/i,
    '/opt/infisical/encryption_key',
  ),
  keeps(
    'Nextcloud',
    /\/(nextcloud|html|www|owncloud)\/(.*\/)?config\/config\.php$/,
    '/var/www/nextcloud/config/config.php',
  ),
  keeps('WordPress', /\/wp-config\S*\.php$/, '/var/www/html/wp-config.php'),
  keeps(
    'Joomla, Drupal and others',
    /\/(configuration|settings\.local|LocalSettings|config\.inc|config_inc|database|settings)\.php$/,
    '/var/www/html/settings.php',
  ),
  keeps(
    'Roundcube',
    /\/roundcube(mail)?\/(.*\/)?config(\.inc|\.docker\.inc)?\.php$/,
    '/etc/roundcube/config.inc.php',
  ),
  keeps('phpMyAdmin', /\/phpmyadmin\/(.*\/)?config[\w.-]*\.php$/, '/etc/phpmyadmin/config-db.php'),
  keeps(
    'Immich',
    /\/immich(-app)?\/(.*\/)?(immich\.(json|ya?ml)|hwaccel\.env)$/,
    '/opt/immich/immich.json',
  ),
  keeps(
    'PhotoPrism',
    /\/photoprism\/(.*\/)?(options|settings|defaults)\.yml$/,
    '/opt/photoprism/storage/config/options.yml',
  ),
  keeps(
    'Paperless-ngx',
    /\/(paperless\.conf|docker-compose\.env)$/,
    '/opt/paperless/docker-compose.env',
  ),
  keeps(
    'Jellyfin',
    /\/jellyfin\/(.*\/)?(jellyfin\.db|authentication\.db)$/,
    '/var/lib/jellyfin/data/jellyfin.db',
  ),
  keeps(
    'Plex',
    /\/Preferences\.xml$/,
    '/var/lib/plexmediaserver/Library/Application Support/Plex Media Server/Preferences.xml',
  ),
  keeps(
    'Emby',
    /\/emby\/(.*\/)?(authentication\.db|users\.db)$/,
    '/var/lib/emby/data/authentication.db',
  ),
  keeps(
    'Sonarr, Radarr and their kin',
    /\/(sonarr|radarr|lidarr|prowlarr|readarr|bazarr|whisparr|jackett)\d?\/(.*\/)?(config\.(xml|ya?ml)|ServerConfig\.json|\w+arr\.db)$/i,
    '/opt/sonarr/config/config.xml',
  ),
  keeps(
    'Overseerr',
    /\/(overseerr|jellyseerr|seerr|ombi)\/(.*\/)?(settings\.json|db\.sqlite3|Ombi\w*\.db)$/,
    '/opt/overseerr/config/settings.json',
  ),
  keeps('Tautulli', /\/tautulli\/(.*\/)?(config\.ini|tautulli\.db)$/i, '/opt/tautulli/config.ini'),
  keeps(
    'qBittorrent',
    /\/qBittorrent(-nox)?\/(.*\/)?qBittorrent(-data)?\.conf$/i,
    '/opt/qbittorrent/qBittorrent/qBittorrent.conf',
  ),
  keeps(
    'Transmission and Deluge',
    /\/(transmission(-daemon)?|\.config\/transmission-daemon)\/(.*\/)?settings\.json$|\/deluge\/(.*\/)?(auth|web\.conf)$/,
    '/etc/transmission-daemon/settings.json',
  ),
  keeps('SABnzbd and NZBGet', /\/(sabnzbd\.ini|nzbget\.conf)$/, '/opt/sabnzbd/sabnzbd.ini'),
  keeps(
    'Gluetun',
    /\/gluetun\/(.*\/)?(auth\/config\.toml|\S+\.(conf|ovpn))$/,
    '/opt/gluetun/auth/config.toml',
  ),
  keeps(
    'Gitea and Forgejo',
    /\/(gitea|forgejo)\/(.*\/)?(app\.ini|jwt\/private\.pem|gitea\.db)$/,
    '/opt/gitea/conf/app.ini',
  ),
  keeps(
    'GitLab',
    /\/gitlab\/(.*\/)?(gitlab-secrets\.json|gitlab\.rb|initial_root_password)$/,
    '/etc/gitlab/gitlab-secrets.json',
  ),
  keeps(
    'CI runners',
    /\/(gitlab-runner\/(.*\/)?config\.toml|\.runner|\.credentials(_rsaparams)?|act_runner\/config\.ya?ml)$/,
    '/etc/gitlab-runner/config.toml',
  ),
  keeps(
    'Jenkins',
    /\/jenkins(_home)?\/(.*\/)?(secrets\/.*|credentials\.xml|secret\.key\S*|initialAdminPassword)$/,
    '/var/lib/jenkins/secrets/initialAdminPassword',
  ),
  keeps(
    'Drone and Woodpecker',
    /\/(drone|woodpecker)\/(.*\/)?(database\.sqlite|woodpecker\.sqlite|agent\.conf)$/,
    '/opt/woodpecker/woodpecker.sqlite',
  ),
  keeps(
    'Grafana',
    /\/grafana\/(.*\/)?(grafana\.ini|custom\.ini|grafana\.db|ldap\.toml)$/,
    '/etc/grafana/grafana.ini',
  ),
  keeps(
    'Alertmanager and Prometheus',
    /\/(alertmanager\.ya?ml|prometheus\/web(-config)?\.ya?ml)$/,
    '/etc/prometheus/alertmanager.yml',
  ),
  keeps(
    'InfluxDB and Telegraf',
    /\/(influxdb2?\/(.*\/)?(influx-configs|influxd\.bolt)|\.influxdbv2\/\S+|telegraf\.conf)$/,
    '/etc/influxdb2/influx-configs',
  ),
  keeps(
    'Uptime Kuma',
    /\/(uptime-)?kuma(-data)?\/(.*\/)?(kuma\.db|db-config\.json)$/,
    '/opt/uptime-kuma/data/kuma.db',
  ),
  keeps(
    'Portainer',
    /\/portainer(_data)?\/(.*\/)?(portainer\.(db|key)|_data\/portainer\.db)$/,
    '/opt/portainer/data/portainer.db',
  ),
  keeps(
    'Dockge, Komodo and Watchtower',
    /\/(dockge|komodo|arcane)\/(.*\/)?(dockge\.db|core\.config\.toml|periphery\.config\.toml|arcane\.db)$/,
    '/opt/komodo/core.config.toml',
  ),
  keeps(
    'Pi-hole',
    /\/pihole\/(setupVars\.conf|pihole\.toml|cli_pw)$|\/etc-pihole\/(setupVars\.conf|pihole\.toml|cli_pw)$/,
    '/etc/pihole/pihole.toml',
  ),
  keeps(
    'AdGuard Home',
    /\/AdGuardHome(\.yaml|\/(.*\/)?data\/sessions\.db)$/i,
    '/opt/AdGuardHome/AdGuardHome.yaml',
  ),
  keeps(
    'Technitium',
    /\/(technitium|dns)\/(.*\/)?(auth\.config|dns\.config|webservice\.config)$/,
    '/etc/dns/auth.config',
  ),
];
