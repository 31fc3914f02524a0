import { StringDecoder } from 'node:string_decoder';
import type { OutputStream } from './ssh/transport.ts';

/** Text of a stream as it came; `isReady`: folded and redacted already. */
export interface Received {
  readonly stream: OutputStream;
  readonly text: string;
  readonly isReady: boolean;
}

/** What came last of both streams, in their order, and how much came before. */
export interface Latest {
  add(piece: Received): void;
  /** Bytes that are not kept any more. */
  dropped(): number;
  clear(): void;
  drain(): Iterable<Received>;
}

/** Text is given back in pieces of at most this size. */
const SLICE_BYTES = 64 * 1024;
/** So often young garbage is collected: V8 learns late of memory outside its heap. */
const COLLECT_BYTES = 4 * 1024 * 1024;
const CONTINUATION = { mask: 0xc0, is: 0x80 };

interface Run {
  readonly stream: OutputStream;
  readonly isReady: boolean;
  /** Where it ends in all that came. */
  end: number;
}

/**
 * Keeps the last bytes in one ring: a gigabyte that streams past leaves nothing behind, where texts
 * that live for a second each would be moved to V8's old space and wait there.
 */
export function createLatest(keptBytes: number): Latest {
  let ring: Buffer | undefined;
  let runs: Run[] = [];
  let from = 0;
  let to = 0;
  let skipped = 0;
  let sinceCollected = 0;

  const write = (bytes: Buffer) => {
    ring ??= Buffer.allocUnsafeSlow(keptBytes);
    // Of a piece that is larger than all that is kept only the end has a place.
    const kept = bytes.subarray(Math.max(0, bytes.length - keptBytes));
    to += bytes.length - kept.length;
    const at = to % keptBytes;
    const copied = kept.copy(ring, at);
    kept.copy(ring, 0, copied);
    to += kept.length;
    from = Math.max(from, to - keptBytes);
  };
  const byteAt = (place: number) => ring?.[place % keptBytes] ?? 0;
  const read = (start: number, end: number): Buffer => {
    if (!ring) return Buffer.alloc(0);
    const at = start % keptBytes;
    const length = Math.min(end - start, keptBytes - at);
    return ring.subarray(at, at + length);
  };
  const collect = (bytes: number) => {
    sinceCollected += bytes;
    if (sinceCollected < COLLECT_BYTES) return;
    sinceCollected = 0;
    globalThis.gc?.({ type: 'minor' });
  };

  return {
    dropped: () => skipped + from,
    add({ stream, text, isReady }) {
      const bytes = Buffer.from(text, 'utf8');
      write(bytes);
      const last = runs.at(-1);
      if (last?.stream === stream && last.isReady === isReady) last.end = to;
      else runs.push({ stream, isReady, end: to });
      while ((runs[0]?.end ?? to) < from) runs.shift();
      collect(bytes.length);
    },
    clear() {
      skipped += to;
      [from, to, runs] = [0, 0, []];
    },
    *drain() {
      while (from < to && (byteAt(from) & CONTINUATION.mask) === CONTINUATION.is) from += 1;
      for (const { stream, isReady, end } of runs) {
        const decoder = new StringDecoder('utf8');
        while (from < end) {
          const bytes = read(from, Math.min(end, from + SLICE_BYTES));
          from += bytes.length;
          yield { stream, isReady, text: decoder.write(bytes) };
        }
      }
      runs = [];
      ring = undefined;
    },
  };
}
