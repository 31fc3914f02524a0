import type { GateFlag, GateResult } from './gate-result.ts';
import { type RiskClass, stricter } from './risk.ts';

/** What was judged at proposal still counts where the present policy is milder (K2). */
export function stricterGate(
  stored: { readonly risk: RiskClass; readonly gate: { readonly flags: readonly GateFlag[] } },
  present: GateResult,
): GateResult {
  return {
    ...present,
    risk: stricter(stored.risk, present.risk),
    flags: [...new Set([...stored.gate.flags, ...present.flags])],
  };
}
