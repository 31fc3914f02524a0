/** Where text in a task's context came from (K4): it decides what may follow unasked. */
export type Origin =
  | 'operator'
  | 'oikos'
  | `guest:${string}`
  | `host:${string}`
  | 'outside'
  | 'web'
  | 'mcp'
  | 'viewer';

export interface Read {
  readonly seq: number;
  readonly origin: Origin;
}

/** The origin that a command's output has, and that a command on the same place trusts. */
export function originOf(place: { readonly kind: string; readonly slug: string }): Origin {
  return place.kind === 'host' ? `host:${place.slug.replace(/^host:/, '')}` : `guest:${place.slug}`;
}

/** Everything read after `coversSeq` came from the operator, from Oikos, or from the place acted on. */
export function readsAllow(reads: readonly Read[], coversSeq: number, own: Origin): boolean {
  return reads
    .filter((read) => read.seq > coversSeq)
    .every(({ origin }) => origin === 'operator' || origin === 'oikos' || origin === own);
}
