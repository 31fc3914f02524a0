import { MODEL_NAME } from './model/server.ts';

/** Where the parts of a lab are; enough to write the settings of both processes. */
export interface LabPlace {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly homeserverUrl: string;
  readonly botToken: string;
  readonly operators: readonly string[];
  readonly modelUrl: string;
  /** The scripted model unless told otherwise. */
  readonly model?: { readonly name: string; readonly apiKey: string };
  /** Further variables for both processes. */
  readonly marks?: Readonly<Record<string, string>>;
  readonly fleetFile: string;
  readonly botPort: number;
  readonly daemonPort: number;
  readonly daemonName: string;
  readonly logLevel?: string;
  /** How long a confirmed deed can be called off; tests do not wait for it. */
  readonly graceSeconds?: number;
}

/** Only what a lab needs: nothing of the caller's own environment reaches the processes. */
export function labSettings(place: LabPlace): {
  bot: NodeJS.ProcessEnv;
  daemon: NodeJS.ProcessEnv;
} {
  const model = place.model ?? { name: MODEL_NAME, apiKey: 'lab-key-without-value' };
  const common = {
    ...place.marks,
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DATABASE_URL: place.databaseUrl,
    REDIS_URL: place.redisUrl,
    LOG_LEVEL: place.logLevel ?? 'info',
    OIKOS_TIME_ZONE: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  return {
    bot: {
      ...common,
      MATRIX_HOMESERVER_URL: place.homeserverUrl,
      MATRIX_ACCESS_TOKEN: place.botToken,
      MATRIX_OPERATORS: place.operators.join(','),
      MATRIX_HOMESERVER: 'own',
      OPENAI_BASE_URL: place.modelUrl,
      OPENAI_API_KEY: model.apiKey,
      OPENAI_MODEL: model.name,
      BOT_HTTP_PORT: `${place.botPort}`,
      GRACE_SECONDS: `${place.graceSeconds ?? 0}`,
    },
    daemon: {
      ...common,
      FLEET_FILE: place.fleetFile,
      DAEMON_NAME: place.daemonName,
      DAEMON_HTTP_PORT: `${place.daemonPort}`,
    },
  };
}
