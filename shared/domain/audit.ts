/**
 * Kinds of events that say who may decide, where, and by which settings: they are few, and the last
 * of each counts for ever.
 */
export const LASTING_KINDS = [
  'person.locked',
  'person.unlocked',
  'room.listed',
  'room.unlisted',
  'token.revoked',
  'gate.setting_changed',
  'rule.revoked',
] as const;

export function isLasting(kind: string): boolean {
  return LASTING_KINDS.some((one) => one === kind);
}
