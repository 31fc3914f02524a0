import type { ConfigRead } from './config.ts';
import { createLog, type Log } from './log.ts';
import { createSealer, type Sealer } from './seal.ts';
import { readSealKeys, sealKeyProblem, sealSecrets } from './seal-keys.ts';

/** What a process stands on before its parts start. */
export interface Ground<C> {
  readonly config: C;
  readonly log: Log;
  readonly seals: Sealer;
  /** Values that no log and no message may show. */
  readonly secrets: readonly string[];
}

/** Settings, seal keys and log of a process; when one is missing, the process ends and says what. */
export function groundOf<C extends { readonly sealKeyFile: string; readonly logLevel: string }>(
  name: 'bot' | 'daemon',
  read: ConfigRead<C>,
): Ground<C> {
  if (!read.ok) return cannotStart(name, read.problems);
  const { config } = read;
  const problem = sealKeyProblem(config.sealKeyFile);
  if (problem !== undefined) return cannotStart(name, [problem]);
  const keys = readSealKeys(config.sealKeyFile);
  const secrets = [...read.secrets, ...sealSecrets(keys)];
  const log = createLog({ level: config.logLevel, name, secrets });
  return { config, log, seals: createSealer(keys), secrets };
}

/** Ends the process before it began, with one readable list of what stands in its way. */
export function cannotStart(name: string, problems: readonly string[]): never {
  console.error(`The ${name} cannot start:\n${problems.map((line) => `- ${line}`).join('\n')}`);
  process.exit(1);
}
