import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { botFields, commonFields, daemonFields, type Fields } from './config-fields.ts';

type ShapeOf<F> = { [K in keyof F]: F[K] extends { schema: infer S } ? S : never };

function shapeOf<F extends Fields>(fields: F): ShapeOf<F> {
  const entries = Object.entries(fields).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(entries) as ShapeOf<F>;
}

/** A process's settings: what it reads, and nothing else. */
export interface Settings<S extends z.ZodType> {
  readonly fields: Fields;
  readonly schema: S;
}

const daemonShape = z.object(shapeOf({ ...commonFields, ...daemonFields }));
const botShape = z
  .object(shapeOf({ ...commonFields, ...botFields }))
  .refine(
    (env) =>
      env.MATRIX_ACCESS_TOKEN !== undefined ||
      (env.MATRIX_USER !== undefined && env.MATRIX_PASSWORD !== undefined),
    {
      path: ['MATRIX_ACCESS_TOKEN'],
      message: 'is not set, and MATRIX_USER with MATRIX_PASSWORD is not either',
      // Even when other settings are wrong: everything is said at once.
      when: () => true,
    },
  );

export const botSettings = {
  fields: { ...commonFields, ...botFields },
  schema: botShape.transform((env) => ({
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    sealKeyFile: env.SEAL_KEY_FILE,
    logLevel: env.LOG_LEVEL,
    timeZone: env.OIKOS_TIME_ZONE,
    matrixHomeserverUrl: env.MATRIX_HOMESERVER_URL,
    matrixAccessToken: env.MATRIX_ACCESS_TOKEN,
    matrixUser: env.MATRIX_USER,
    matrixPassword: env.MATRIX_PASSWORD,
    /** Exact Matrix ids; empty: nobody is obeyed. */
    operators: env.MATRIX_OPERATORS,
    /** Exact Matrix ids who may ask and look. */
    viewers: env.MATRIX_VIEWERS,
    homeserver: env.MATRIX_HOMESERVER,
    graceMs: env.GRACE_SECONDS * 1_000,
    staleYesMs: env.STALE_YES_MINUTES * 60_000,
    wakingHours: wakingHours(env.WAKING_HOURS),
    reactionsOpenWindow: env.REACTIONS_OPEN_WINDOW ?? env.MATRIX_HOMESERVER === 'own',
    openaiBaseUrl: env.OPENAI_BASE_URL,
    openaiApiKey: env.OPENAI_API_KEY,
    openaiModel: env.OPENAI_MODEL,
    llmIdleMs: env.LLM_IDLE_SECONDS * 1_000,
    llmTotalMs: env.LLM_TOTAL_SECONDS * 1_000,
    httpPort: env.BOT_HTTP_PORT,
  })),
};
export type BotConfig = z.infer<typeof botSettings.schema>;

export const daemonSettings = {
  fields: { ...commonFields, ...daemonFields },
  schema: daemonShape.transform((env) => ({
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    sealKeyFile: env.SEAL_KEY_FILE,
    logLevel: env.LOG_LEVEL,
    timeZone: env.OIKOS_TIME_ZONE,
    fleetFile: env.FLEET_FILE,
    site: env.DAEMON_SITE,
    /** Undefined: the host's own name. */
    name: env.DAEMON_NAME,
    httpPort: env.DAEMON_HTTP_PORT,
    concurrency: env.DAEMON_CONCURRENCY,
    hostConcurrency: env.DAEMON_HOST_CONCURRENCY,
    sshConnectMs: env.SSH_CONNECT_SECONDS * 1_000,
    unreachableMs: env.UNREACHABLE_HOURS * 3_600_000,
    rebootMs: env.REBOOT_MINUTES * 60_000,
  })),
};
export type DaemonConfig = z.infer<typeof daemonSettings.schema>;

/** `8-22`: from 8:00 on, before 22:00; `22-6` runs over midnight. */
function wakingHours(text: string): { readonly from: number; readonly to: number } {
  const [from = 0, to = 24] = text.split('-').map(Number);
  return { from, to };
}

export type ConfigRead<T> =
  | { readonly ok: true; readonly config: T; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Settings from the environment, or every problem at once: the name, what is wrong, what to set.
 * A name set to nothing counts as unset. A secret may come from the file that `NAME_FILE` names.
 * `secrets` are the values that no log may show.
 */
export function readConfig<S extends z.ZodType>(
  settings: Settings<S>,
  env: Env,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): ConfigRead<z.infer<S>> {
  const { values, problems } = gather(settings.fields, env, readFile);
  const parsed = settings.schema.safeParse(values);
  if (parsed.success && problems.length === 0) {
    return { ok: true, config: parsed.data, secrets: secretsOf(settings.fields, values) };
  }
  const named = new Set(problems.map((problem) => problem.split(' ')[0]?.replace(/_FILE$/, '')));
  const issues = parsed.error?.issues.filter(({ path }) => !named.has(String(path[0]))) ?? [];
  return {
    ok: false,
    problems: [...problems, ...issues.map((issue) => describe(issue, settings.fields, values))],
  };
}

function gather(fields: Fields, env: Env, readFile: (path: string) => string) {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, { notes }] of Object.entries(fields)) {
    const direct = env[name];
    if (direct !== undefined && direct.trim() !== '') {
      values[name] = direct.trim();
      continue;
    }
    const path = notes.secret ? env[`${name}_FILE`] : undefined;
    if (!path) continue;
    try {
      values[name] = readFile(path).trim();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(`${name}_FILE cannot be read: ${why}`);
    }
  }
  return { values, problems };
}

function describe(
  issue: z.core.$ZodIssue,
  fields: Fields,
  values: Readonly<Record<string, string>>,
): string {
  const name = String(issue.path[0] ?? '');
  const notes = fields[name]?.notes;
  const hint = notes?.example ? `; for example ${name}=${notes.example}` : '';
  // Within brackets it is no sentence of its own.
  const what = notes ? ` (${notes.description.replace(/\.$/, '')})` : '';
  if (issue.code === 'invalid_type' && values[name] === undefined) {
    return `${name} is not set${hint}${what}`;
  }
  return `${name} ${lowerFirst(issue.message)}${hint}${what}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The secret values and, of URLs, the passwords in them. */
function secretsOf(fields: Fields, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (!fields[name]?.notes.secret) return [];
    if (!URL.canParse(value)) return [value];
    const { password } = new URL(value);
    return password === '' ? [] : [value, password, decodeURIComponent(password)];
  });
}
