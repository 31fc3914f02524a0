import type { RiskClass } from './risk.ts';

/** Facts beside the class: each has consequences of its own (docs/GATE.md). */
export const GATE_FLAGS = [
  'opaque',
  'unbounded',
  'secret',
  'egress',
  'access',
  'self',
  'outside_text',
] as const;
export type GateFlag = (typeof GATE_FLAGS)[number];

/** What a part with the flag `access` gives, as far as anything depends on it. */
export const ACCESS_KINDS = ['unit', 'package_source', 'other'] as const;
export type AccessKind = (typeof ACCESS_KINDS)[number];

/** Where it gives it: the target itself, a guest of the target (`lxc/140`), or anywhere else. */
export interface PartAccess {
  readonly kind: AccessKind;
  readonly at: 'target' | 'elsewhere' | `lxc/${string}`;
}

/** A gate result holds no more parts; the mildest of a longer line are left out. */
export const MAX_GATE_PARTS = 200;

/** One segment of a command line and the rule that judged it. */
export interface GatePart {
  readonly text: string;
  /** Offsets into the command: [start, end). */
  readonly span: readonly [number, number];
  /** The rule's name, e.g. `systemctl restart`. */
  readonly rule: string;
  /** The rule's reason, one plain sentence without a full stop. */
  readonly why: string;
  readonly class: RiskClass;
  /** What this part acts on beyond the target itself, e.g. `lxc/135`. */
  readonly touches?: readonly string[];
  /** Set on the parts that the flag `access` comes from. */
  readonly access?: PartAccess;
  /** A bounded or harmless form of the same wish. */
  readonly safer?: string;
}

/**
 * A file that a command executes or applies, so that its text is part of what a yes is given to.
 * A path that is not absolute starts where the command starts.
 */
export interface GateContent {
  /** Where it may lie. */
  readonly paths: readonly string[];
  /** What the command does with it, e.g. `runs it`. */
  readonly use: string;
  /** `one`: without any of them there is nothing to run. `any`: used where it is there. */
  readonly need: 'one' | 'any';
  /** The guest that it lies in, e.g. `lxc/101`; absent: on the target itself. */
  readonly in?: string;
}

/** A file whose text a read_only command shows. */
export interface GateOperand {
  readonly path: string;
  readonly in?: string;
}

/** A pattern whose matches a destructive command destroys; literal wildcards are escaped. */
export interface GateGlob {
  readonly pattern: string;
}

/** Verb and object of the typed sentence `I confirm <verb> <object>`. */
export interface ConfirmPhrase {
  readonly verb: string;
  readonly object: string;
  /**
   * Fingerprint of what else decides which thing the name means (a kind, a host, a namespace): a
   * window covers the name only where this is the same. Absent where the name alone tells.
   */
  readonly within?: string;
}

/**
 * The gate's whole verdict: a pure function of (command, declared risk, facts).
 * `parts` has the strictest first. `touches` lists guests as `lxc/135` or `vm/200` when a Proxmox
 * command names them, or is `unknown` when the command's reach cannot be told.
 */
export interface GateResult {
  readonly risk: RiskClass;
  readonly parts: readonly GatePart[];
  readonly flags: readonly GateFlag[];
  readonly touches: readonly string[] | 'unknown';
  readonly confirm?: ConfirmPhrase;
  readonly hint?: string;
  /** Files that it executes or applies; absent when there are none. */
  readonly contents?: readonly GateContent[];
  /** Files that a read_only command shows. */
  readonly operands?: readonly GateOperand[];
  /** Patterns that are listed before a destructive command may be asked for. */
  readonly globs?: readonly GateGlob[];
  readonly policyVersion: string;
  /** Names the operator's settings it was judged under. */
  readonly settingsHash?: string;
}
