import type { RiskClass } from './risk.ts';

const MINUTE_MS = 60_000;

/** How long a command may run when the agent asks for nothing else (K5). */
const DEFAULT_LIMIT_MS: Readonly<Record<RiskClass, number>> = {
  read_only: MINUTE_MS,
  reversible_low: 2 * MINUTE_MS,
  config_mutation: 15 * MINUTE_MS,
  destructive: 15 * MINUTE_MS,
};
export const MAX_LIMIT_MS = 120 * MINUTE_MS;

/** The asked limit within 1 s and 2 h, or the class's own. */
export function clampTimeLimit(risk: RiskClass, askedMs?: number): number {
  if (askedMs === undefined) return DEFAULT_LIMIT_MS[risk];
  return Math.min(Math.max(Math.round(askedMs), 1_000), MAX_LIMIT_MS);
}

/** How long the `run` tool waits for the end before it answers "still running" (K5). */
export function patienceMs(risk: RiskClass): number {
  return risk === 'read_only' ? MINUTE_MS : 20_000;
}
