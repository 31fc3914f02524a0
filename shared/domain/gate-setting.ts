import type { RiskClass } from './risk.ts';

/** The kinds of things that an operator tells the gate; each is one row of `gate_settings`. */
export const SETTING_KEYS = ['policy', 'self', 'floors'] as const;
export type SettingKey = (typeof SETTING_KEYS)[number];

/** Classes that a floor can raise a change to; milder ones would raise nothing. */
export const FLOOR_CLASSES = [
  'config_mutation',
  'destructive',
] as const satisfies readonly RiskClass[];
export type FloorClass = (typeof FLOOR_CLASSES)[number];
