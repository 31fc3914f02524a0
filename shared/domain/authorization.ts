import type { RuleKind } from './rule.ts';

/** By what an execution may run. The daemon verifies this, not the status alone (K16). */
export type Authorization =
  | { readonly kind: 'read_only' }
  | { readonly kind: 'window'; readonly windowId: string }
  | { readonly kind: 'approval'; readonly approvalId: string }
  | { readonly kind: RuleKind; readonly ruleId: string };
