/** A command that counts as read_only and prints so many megabytes, at most 999, in lines of 1,000 bytes. */
export function printsMegabytes(megabytes: number): string {
  return `seq -f '${'x'.repeat(993)}%06.0f' 1 ${megabytes * 1_000}`;
}
