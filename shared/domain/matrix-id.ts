/** What a room id looks like. */
export const ROOM_ID = /^![^\s]{1,254}$/;

/** `op` for `@op:example.org`. */
export function localPart(userId: string): string {
  return /^@([^:]+):/.exec(userId)?.[1] ?? userId;
}
