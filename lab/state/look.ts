import { createHash } from 'node:crypto';

const NO_NAMES = createHash('sha256').update('').digest('hex');
const NOTHING: Readonly<Record<string, string>> = {
  file: 'absent',
  real: 'absent',
  list: `0 ${NO_NAMES} `,
};

/**
 * The answer to a daemon's look at files, or undefined where the command is none: this lab has no
 * files, so nothing is there and no pattern matches.
 */
export function answerLook(command: string): string | undefined {
  const nonce = /"oikos (\S+) (?:file|list|real) /.exec(command)?.[1];
  const asks = [...command.matchAll(/^oikos_(file|list|real) (\d+) /gm)];
  if (nonce === undefined || asks.length === 0) return undefined;
  return asks
    .map(([, kind = '', index]) => `oikos ${nonce} ${kind} ${index} ${NOTHING[kind]}\n`)
    .join('');
}
