/** What a command can do to the world, mildest first. The order is the meaning: later is stricter. */
export const RISK_CLASSES = [
  'read_only',
  'reversible_low',
  'config_mutation',
  'destructive',
] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

/** The stricter of the two. */
export function stricter(a: RiskClass, b: RiskClass): RiskClass {
  return rank(a) >= rank(b) ? a : b;
}

/** Strictly stricter than `b`: equal classes answer false. */
export function isStricter(a: RiskClass, b: RiskClass): boolean {
  return rank(a) > rank(b);
}

function rank(risk: RiskClass): number {
  return RISK_CLASSES.indexOf(risk);
}
