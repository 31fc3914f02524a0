import { join } from 'node:path';
import { stringify } from 'yaml';

export interface SynapseSecrets {
  registration: string;
  macaroon: string;
  form: string;
}

/** As good as none: a lab must not wait for its own homeserver. */
const NO_LIMIT = { per_second: 10_000, burst_count: 100_000 };

/** homeserver.yaml for one closed server on 127.0.0.1: no federation, no registration, no look-ups. */
export function homeserverYaml(at: {
  dir: string;
  serverName: string;
  port: number;
  secrets: SynapseSecrets;
}): string {
  return stringify({
    server_name: at.serverName,
    public_baseurl: `http://127.0.0.1:${at.port}/`,
    report_stats: false,
    listeners: [
      {
        port: at.port,
        type: 'http',
        bind_addresses: ['127.0.0.1'],
        resources: [{ names: ['client'] }],
      },
    ],
    database: { name: 'sqlite3', args: { database: join(at.dir, 'homeserver.db') } },
    media_store_path: join(at.dir, 'media'),
    signing_key_path: join(at.dir, 'signing.key'),
    log_config: join(at.dir, 'log.yaml'),
    pid_file: join(at.dir, 'homeserver.pid'),
    registration_shared_secret: at.secrets.registration,
    macaroon_secret_key: at.secrets.macaroon,
    form_secret: at.secrets.form,
    trusted_key_servers: [],
    federation_domain_whitelist: [],
    enable_registration: false,
    url_preview_enabled: false,
    presence: { enabled: false },
    push: { enabled: false },
    bcrypt_rounds: 4,
    // A client that has lost its place gets the room as it is now, not as it was two minutes ago.
    caches: { sync_response_cache_duration: '0s' },
    ...limits(),
  });
}

/** Warnings and worse, to stderr. */
export function logYaml(): string {
  return stringify({
    version: 1,
    formatters: { plain: { format: '%(asctime)s %(levelname)s %(name)s %(message)s' } },
    handlers: { console: { class: 'logging.StreamHandler', formatter: 'plain' } },
    root: { level: 'WARNING', handlers: ['console'] },
    disable_existing_loggers: false,
  });
}

function limits(): Record<string, unknown> {
  const names = ['message', 'registration', 'admin_redaction', '3pid_validation', 'room_creation'];
  const flat = Object.fromEntries(names.map((name) => [`rc_${name}`, NO_LIMIT]));
  return {
    ...flat,
    rc_login: { address: NO_LIMIT, account: NO_LIMIT, failed_attempts: NO_LIMIT },
    rc_joins: { local: NO_LIMIT, remote: NO_LIMIT },
    rc_joins_per_room: NO_LIMIT,
    rc_invites: { per_room: NO_LIMIT, per_user: NO_LIMIT, per_issuer: NO_LIMIT },
    rc_media_create: NO_LIMIT,
  };
}
