import { type DestinationStream, type Logger, pino } from 'pino';
import { printable } from './printable.ts';

export type Log = Logger;

const HIDDEN = '[hidden]';
const SECRET_FIELD = /(?:token|password|passphrase|secret|api_?key|private_?key)$|^key$/i;
const MAX_TEXT = 2_000;
const MAX_DEPTH = 6;

export interface LogOptions {
  readonly level: string;
  readonly name: string;
  /** Values that must never appear, wherever they turn up. */
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream;
}

/**
 * JSON lines on stdout. Text from outside is made printable and shortened, known secrets and fields
 * named token, password or key are hidden: a log must neither obey nor betray what it was given.
 */
export function createLog(options: LogOptions): Log {
  const clean = cleaner(options.secrets);
  const settings = {
    level: options.level,
    base: { process: options.name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => errorFields(error) },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => clean(fields, 0) as Record<string, unknown>,
    },
    hooks: {
      logMethod(this: Logger, args: unknown[], method: (...all: unknown[]) => void) {
        const safe = args.map((arg) => (typeof arg === 'string' ? clean(arg, 0) : arg));
        method.apply(this, safe);
      },
    },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

function cleaner(secrets: readonly string[]) {
  const known = secrets.filter((secret) => secret.length >= 4);
  const text = (value: string) => {
    const hidden = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), value);
    const shown = printable(hidden, { newlines: true });
    return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT)}…` : shown;
  };
  const clean = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (depth > MAX_DEPTH) return '…';
    if (value instanceof Error) return clean(errorFields(value), depth);
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        SECRET_FIELD.test(name) ? HIDDEN : clean(item, depth + 1),
      ]),
    );
  };
  return clean;
}

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { type: name, message, stack, ...cause };
}
