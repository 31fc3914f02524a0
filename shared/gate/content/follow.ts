import type { RiskClass } from '../../domain/risk.ts';
import { classify } from '../classify.ts';
import type { GateFacts } from '../facts.ts';
import type { GatePolicy } from '../policy.ts';

export interface ReadingVerdict {
  readonly risk: RiskClass;
  /** The contents can hold a secret. */
  readonly secret: boolean;
  readonly why: string;
}

/** What it would be to show this very file, by the same rules as for any command that reads it. */
export function judgeReading(path: string, facts: GateFacts, policy?: GatePolicy): ReadingVerdict {
  const command = `cat -- '${path.replaceAll("'", `'\\''`)}'`;
  const { risk, flags, parts } = classify({ command, facts, ...(policy && { policy }) });
  return { risk, secret: flags.includes('secret'), why: parts[0]?.why ?? '' };
}
