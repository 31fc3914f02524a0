import { z } from 'zod';

/** What `.env.example` and the error messages say of a setting beside its schema. */
export interface FieldNotes {
  readonly description: string;
  /** Shown in `.env.example`; never a working secret. */
  readonly example: string;
  /** May be given as `NAME_FILE` too, and is never logged. */
  readonly secret?: boolean;
  /** The process does not start without it. */
  readonly required?: boolean;
}

export type Fields = Readonly<Record<string, { schema: z.ZodType; notes: FieldNotes }>>;

function field<T extends z.ZodType>(schema: T, notes: FieldNotes) {
  return { schema: schema.describe(notes.description), notes };
}

const url = (...schemes: string[]) =>
  z.string().refine((text) => schemes.some((scheme) => text.startsWith(`${scheme}://`)), {
    message: `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  });
const port = z.coerce.number().int().min(0).max(65_535);
const seconds = z.coerce.number().min(1).max(7_200);
const yesNo = z
  .enum(['yes', 'no', 'true', 'false', '1', '0'])
  .transform((word) => ['yes', 'true', '1'].includes(word));
const matrixIds = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  )
  .pipe(z.array(z.string().regex(/^@[^:\s]+:\S+$/, 'must be exact Matrix ids like @name:server')));
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'must be lower-case letters, digits, . and -');

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export const HOMESERVER_TRUSTS = ['own', 'foreign'] as const;

/** Settings that both processes read. */
export const commonFields = {
  DATABASE_URL: field(url('postgres', 'postgresql'), {
    description: 'Postgres, the one truth of both processes.',
    example: 'postgres://oikos:change-me@127.0.0.1:5432/oikos',
    secret: true,
    required: true,
  }),
  REDIS_URL: field(url('redis', 'rediss'), {
    description: 'Redis or Valkey (noeviction): the doorbell between bot and daemon.',
    example: 'redis://127.0.0.1:6379',
    secret: true,
    required: true,
  }),
  SEAL_KEY_FILE: field(z.string().min(1).default('./seal/key'), {
    description:
      'Seals what lets a command run; one file for both processes, outside the database (oikos seal init).',
    example: './seal/key',
  }),
  LOG_LEVEL: field(z.enum(LOG_LEVELS).default('info'), {
    description: `How much is logged: ${LOG_LEVELS.join(', ')}.`,
    example: 'info',
  }),
  OIKOS_TIME_ZONE: field(
    z.string().refine(isTimeZone, 'must be a time zone like Europe/Berlin').default('UTC'),
    {
      description: 'Time zone of the times that people read.',
      example: 'Europe/Berlin',
    },
  ),
} as const;

export const botFields = {
  MATRIX_HOMESERVER_URL: field(url('http', 'https'), {
    description: 'The homeserver, as the bot reaches it.',
    example: 'https://matrix.example.org',
    required: true,
  }),
  MATRIX_ACCESS_TOKEN: field(z.string().min(1).optional(), {
    description: "The bot account's access token; or set MATRIX_USER and MATRIX_PASSWORD.",
    example: '',
    secret: true,
  }),
  MATRIX_USER: field(z.string().min(1).optional(), {
    description: "The bot account's name, for logging in with a password.",
    example: '',
  }),
  MATRIX_PASSWORD: field(z.string().min(1).optional(), {
    description: "The bot account's password.",
    example: '',
    secret: true,
  }),
  MATRIX_OPERATORS: field(matrixIds.default([]), {
    description: 'Who may approve, exact Matrix ids separated by commas. Empty: nobody is obeyed.',
    example: '@you:example.org',
  }),
  MATRIX_VIEWERS: field(matrixIds.default([]), {
    description: 'Who may ask and look, but decides nothing, exact Matrix ids separated by commas.',
    example: '',
  }),
  MATRIX_HOMESERVER: field(z.enum(HOMESERVER_TRUSTS).default('foreign'), {
    description: 'own: you run the homeserver yourself; foreign: somebody else does.',
    example: 'foreign',
  }),
  REACTIONS_OPEN_WINDOW: field(yesNo.optional(), {
    description:
      'Whether a 👍 opens the assent window too. Default: yes on an own homeserver only.',
    example: '',
  }),
  GRACE_SECONDS: field(z.coerce.number().min(0).max(600).default(10), {
    description: 'How long a confirmed destruction, or a yes that gives access, can be called off.',
    example: '10',
  }),
  STALE_YES_MINUTES: field(z.coerce.number().min(1).max(1_440).default(60), {
    description: 'A yes to a card older than this is checked against the fleet again first.',
    example: '60',
  }),
  WAKING_HOURS: field(
    z
      .string()
      .regex(/^(?:[01]?\d|2[0-3])-(?:[01]?\d|2[0-4])$/, 'must be two hours like 8-22')
      .default('8-22'),
    {
      description: 'When a card that nobody answers may ring once more, in the time zone above.',
      example: '8-22',
    },
  ),
  OPENAI_BASE_URL: field(url('http', 'https').default('https://api.openai.com/v1'), {
    description: 'Any server that speaks the chat completions API.',
    example: 'https://api.openai.com/v1',
  }),
  OPENAI_API_KEY: field(z.string().min(1).optional(), {
    description: 'Its key; a local server may need none.',
    example: '',
    secret: true,
  }),
  OPENAI_MODEL: field(z.string().min(1).default('gpt-5.1'), {
    description: 'The model that answers.',
    example: 'gpt-5.1',
  }),
  LLM_IDLE_SECONDS: field(seconds.default(60), {
    description: 'Longest silence within one answer of the model.',
    example: '60',
  }),
  LLM_TOTAL_SECONDS: field(seconds.default(300), {
    description: 'Longest time for one whole answer of the model.',
    example: '300',
  }),
  BOT_HTTP_PORT: field(port.default(8461), {
    description: "The bot's port for health and metrics, on 127.0.0.1.",
    example: '8461',
  }),
} as const;

export const daemonFields = {
  FLEET_FILE: field(z.string().min(1).default('./fleet.yaml'), {
    description: 'Hosts, keys and guests; read by the daemon alone (see fleet.example.yaml).',
    example: './fleet.yaml',
  }),
  DAEMON_SITE: field(name.default('home'), {
    description: 'The site whose hosts this daemon serves; one queue a site.',
    example: 'home',
  }),
  DAEMON_NAME: field(name.optional(), {
    description: "This daemon's own name, unique among daemons. Default: the host's name.",
    example: '',
  }),
  DAEMON_HTTP_PORT: field(port.default(8462), {
    description: "The daemon's port for health and metrics, on 127.0.0.1.",
    example: '8462',
  }),
  DAEMON_CONCURRENCY: field(z.coerce.number().int().min(1).max(256).default(16), {
    description: 'How many commands may run at once, over all hosts.',
    example: '16',
  }),
  DAEMON_HOST_CONCURRENCY: field(z.coerce.number().int().min(1).max(10).default(8), {
    description: "How many commands may run at once on one host; at most its sshd's MaxSessions.",
    example: '8',
  }),
  SSH_CONNECT_SECONDS: field(seconds.default(10), {
    description: 'How long a host may take to answer a new connection.',
    example: '10',
  }),
  UNREACHABLE_HOURS: field(z.coerce.number().min(0.01).max(720).default(24), {
    description: 'How long a host may be away before a change that runs there counts as lost.',
    example: '24',
  }),
  REBOOT_MINUTES: field(z.coerce.number().min(1).max(240).default(15), {
    description: 'How long a machine that was told to reboot may take until it answers again.',
    example: '15',
  }),
} as const;

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
