import { LogLevel, LogService } from 'matrix-bot-sdk';

/** The part of a pino logger that this folder uses. */
export interface MatrixLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/(bearer\s+)[^\s"',}]+/gi, '$1<redacted>'],
  [
    /((?:access_token|refresh_token|password|login_token)["']?\s*[:=]\s*["']?)[^\s"'&,}]+/gi,
    '$1<redacted>',
  ],
  [/\b(?:syt|mat|mct|mcr|syr)_[A-Za-z0-9_-]{6,}/g, '<redacted>'],
];

/** Takes access tokens and passwords out of a line of somebody else's log. */
export function withoutTokens(text: string): string {
  return SECRETS.reduce((line, [secret, instead]) => line.replace(secret, instead), text);
}

/**
 * Sends the SDK's own log through ours. What it logs about failed requests is only debug here:
 * the same failure is thrown at whoever asked, who knows whether it matters.
 */
export function routeSdkLog(log: MatrixLog): void {
  const at =
    (level: keyof MatrixLog) =>
    (module: string, ...said: unknown[]) =>
      log[module === 'MatrixHttpClient' ? 'debug' : level]({ module }, describe(said));
  LogService.setLogger({
    trace: at('debug'),
    debug: at('debug'),
    info: at('debug'),
    warn: at('warn'),
    error: at('error'),
  });
  // Trace would write whole request bodies.
  LogService.setLevel(LogLevel.DEBUG);
}

function describe(said: unknown[]): string {
  return withoutTokens(said.map(wordsOf).join(' ')).slice(0, 2_000);
}

function wordsOf(said: unknown): string {
  if (typeof said === 'string') return said;
  if (said instanceof Error) return `${said.name}: ${said.message}`;
  try {
    return JSON.stringify(said) ?? String(said);
  } catch {
    return 'something that is not JSON';
  }
}
