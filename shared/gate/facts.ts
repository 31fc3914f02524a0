import type { RiskClass } from '../domain/risk.ts';

/** Where Oikos itself lives. A list that is empty or absent falls back to Oikos's usual names. */
export interface SelfFacts {
  /** Its guests as `touches` names them, e.g. `lxc/140`. Seen from inside: the target itself. */
  readonly slugs?: readonly string[];
  /** Absolute folders: its files, volumes, database. */
  readonly paths?: readonly string[];
  /** Names of units and containers: its services, the homeserver, DNS, the gateway. */
  readonly units?: readonly string[];
  readonly addresses?: readonly string[];
}

/** What is known about the place a command will run in. */
export interface GateFacts {
  /** The shell that will read the command; unknown shells count as `posix`. */
  readonly shell: 'bash' | 'posix';
  readonly targetKind?: 'host' | 'lxc' | 'vm';
  /** Whatever is not read_only here counts at least as this class. */
  readonly floor?: RiskClass;
  /** The same for guests named by a command on a host, by their name in `touches`. */
  readonly floors?: Readonly<Record<string, RiskClass>>;
  readonly self?: SelfFacts;
  /** The target is a guest of Oikos's own: every change here is a change of Oikos. */
  readonly isSelf?: boolean;
  /** Absolute folders of a host that guests or others may write to: mounts' and shares' sources. */
  readonly guestWritable?: readonly string[];
}

/** A command run by bash on a place without further rules. */
export const BASH_FACTS: GateFacts = { shell: 'bash' };
