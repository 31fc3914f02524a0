import type { GateFlag, GateResult } from './gate-result.ts';
import { isStricter } from './risk.ts';

export const WINDOW_KINDS = ['assent', 'destructive'] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number];

export const ASSENT_WINDOW_MS = 30 * 60_000;
export const DESTRUCTIVE_WINDOW_MS = 15 * 60_000;

export interface Window {
  readonly id: string;
  readonly kind: WindowKind;
  readonly agent: string;
  readonly taskId: string;
  /** Destructive windows: the confirmed object's key, e.g. `lxc/135@host:lab`. */
  readonly object: string | null;
  /** Destructive windows: the confirmed verb; a guest whose rollback was confirmed is not to be destroyed. */
  readonly verb: string | null;
  readonly openedAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** Reads of the task up to this number were known when the window opened (K4). */
  readonly coversSeq: number;
}

/** Half open: the window counts at `openedAt` and no longer at `expiresAt`. */
export function isOpen(window: Window, now: Date): boolean {
  return window.revokedAt === null && window.openedAt <= now && now < window.expiresAt;
}

/** Flags that no window ever covers: each gets a card of its own. */
export const NEVER_UNDER_A_WINDOW: readonly GateFlag[] = [
  'opaque',
  'access',
  'egress',
  'secret',
  'self',
];

export interface WindowAsk {
  readonly agent: string;
  readonly taskId: string;
  readonly gate: GateResult;
  /** Keys of the guests, paths and pools the command acts on; null when its reach is unknown. */
  readonly objects: readonly string[] | null;
}

/**
 * Whether a window's kind and scope allow the command. Time (`isOpen`), origins and who asked are
 * judged by the caller: this is only about what the command does.
 */
export function scopeAllows(window: Window, ask: WindowAsk): boolean {
  if (window.agent !== ask.agent || window.taskId !== ask.taskId) return false;
  if (ask.gate.flags.some((flag) => NEVER_UNDER_A_WINDOW.includes(flag))) return false;
  if (window.kind === 'assent') return !isStricter(ask.gate.risk, 'config_mutation');
  if (ask.objects === null || ask.objects.length === 0) return false;
  const sameDeed = ask.gate.risk !== 'destructive' || ask.gate.confirm?.verb === window.verb;
  return sameDeed && ask.objects.every((object) => object === window.object);
}
