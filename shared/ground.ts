import type { ConfigRead } from './config.ts';
import { createLog, type Log } from './log.ts';
import { createSealer, type Sealer } from './seal.ts';
import { sealKeysOf, sealSecrets } from './seal-keys.ts';

/** What a process stands on before its parts start. */
export interface ProcessGround<C> {
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
): ProcessGround<C> {
  if (!read.ok) return cannotStart(name, read.problems);
  const { config } = read;
  const found = sealKeysOf(config.sealKeyFile);
  if (!found.ok) return cannotStart(name, [found.problem]);
  const secrets = [...read.secrets, ...sealSecrets(found.keys)];
  const log = createLog({ level: config.logLevel, name, secrets });
  return { config, log, seals: createSealer(found.keys), secrets };
}

/** Ends the process before it began, with one readable list of what stands in its way. */
export function cannotStart(name: string, problems: readonly string[]): never {
  console.error(`The ${name} cannot start:\n${problems.map((line) => `- ${line}`).join('\n')}`);
  process.exit(1);
}
