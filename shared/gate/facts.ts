import type { RiskClass } from '../domain/risk.ts';

/** What is known about the place a command will run in. */
export interface GateFacts {
  /** The shell that will read the command; unknown shells count as `posix`. */
  readonly shell: 'bash' | 'posix';
  readonly targetKind?: 'host' | 'lxc' | 'vm';
  /** Whatever is not read_only here counts at least as this class. */
  readonly floor?: RiskClass;
}

/** A command run by bash on a place without further rules. */
export const BASH_FACTS: GateFacts = { shell: 'bash' };
