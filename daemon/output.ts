import { createLineFolder } from './fold.ts';
import { createLatest } from './latest.ts';
import type { OutputStream } from './ssh/transport.ts';

/** K9: rows of at most 32 KiB, and of each run the first and the last 5 MB. */
export const MAX_ROW_BYTES = 32 * 1024;
export const KEPT_BYTES = { head: 5 * 1024 * 1024, tail: 5 * 1024 * 1024 } as const;
/** One row a stream and beat: two rows a second at most while the command runs. */
const BEAT_MS = 1_000;

export interface OutputRow {
  readonly seq: number;
  readonly stream: OutputStream;
  readonly text: string;
}

export interface OutputSummary {
  /** Bytes that the command wrote, as far as they are text (UTF-8, folded). */
  readonly bytes: number;
  /** The middle is missing. */
  readonly cut: boolean;
}

export interface Recorder {
  push(stream: OutputStream, text: string): void;
  /** So many bytes of a stream were not kept where it comes from. */
  gap(stream: OutputStream, bytes: number): void;
  /** Saves what is left and says how much there was. */
  close(): Promise<OutputSummary>;
}

export interface RecorderOptions {
  readonly redact: (text: string) => string;
  /** Stores rows; a failure is reported and the rows are tried again with the next. */
  readonly save: (rows: readonly OutputRow[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly kept?: { readonly head: number; readonly tail: number };
  readonly beatMs?: number;
}

const STREAMS = ['stdout', 'stderr'] as const;

interface Piece {
  readonly stream: OutputStream;
  readonly text: string;
  readonly bytes: number;
}

/** Turns the pieces of both streams into rows: folded, redacted, bounded. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { redact, kept = KEPT_BYTES } = options;
  const folders = { stdout: createLineFolder(), stderr: createLineFolder() };
  const store = createStore(kept);
  let seq = 0;
  let unsaved: OutputRow[] = [];
  let saving: Promise<void> = Promise.resolve();

  const latest = createLatest(kept.tail);

  /** Folded text goes to the head; what has no place there waits for the end. */
  const add = (stream: OutputStream, folded: string) => {
    if (folded === '') return;
    const text = redact(folded.replaceAll('\0', ''));
    const rest = store.addHead(stream, text);
    if (rest !== '') latest.add({ stream, text: rest, isReady: true });
  };
  /** What came last, now that it is known which part of the rest that is. */
  const addLatest = () => {
    if (latest.dropped() > 0) {
      store.skip(latest.dropped());
      for (const stream of STREAMS) folders[stream].gap();
    }
    for (const { stream, text, isReady } of latest.drain()) {
      const clean = isReady ? text : redact(folders[stream].write(text.replaceAll('\0', '')));
      store.addTail(stream, clean);
    }
    for (const stream of STREAMS) store.addTail(stream, redact(folders[stream].end()));
  };
  const save = (pieces: readonly Piece[]) => {
    for (const { stream, text } of pieces) unsaved.push({ seq: seq++, stream, text });
    saving = saving.then(async () => {
      const rows = unsaved;
      if (rows.length === 0) return;
      unsaved = [];
      try {
        await options.save(rows);
      } catch (error) {
        unsaved = [...rows, ...unsaved];
        options.onError(error);
      }
    });
    return saving;
  };
  const beat = setInterval(() => {
    void save([...store.take('stdout', 1), ...store.take('stderr', 1)]);
  }, options.beatMs ?? BEAT_MS);

  return {
    push(stream, text) {
      // To fold and redact what will be dropped would cost more than to receive it.
      if (store.headIsFull()) latest.add({ stream, text, isReady: false });
      else add(stream, folders[stream].write(text));
    },
    gap(stream, bytes) {
      latest.clear();
      folders[stream].gap();
      store.skip(bytes);
    },
    async close() {
      clearInterval(beat);
      if (store.headIsFull()) addLatest();
      else for (const stream of STREAMS) add(stream, folders[stream].end());
      const { pieces, ...summary } = store.drain();
      await save(pieces);
      if (unsaved.length > 0) await save([]);
      return summary;
    },
  };
}

/** Head as it comes, then the last bytes only, and how much lies between. */
function createStore(kept: { readonly head: number; readonly tail: number }) {
  let waiting: Piece[] = [];
  let tail: Piece[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let bytes = 0;
  let lost = 0;
  let headIsFull = false;

  const rowBytes = Math.max(4, Math.min(MAX_ROW_BYTES, Math.floor(kept.tail / 4)));

  const piecesOf = (stream: OutputStream, text: string): Piece[] =>
    splitText(text, rowBytes).map((piece) => ({
      stream,
      text: piece,
      bytes: Buffer.byteLength(piece),
    }));

  return {
    headIsFull: () => headIsFull,
    /** Answers what did not fit any more. */
    addHead(stream: OutputStream, text: string): string {
      const pieces = piecesOf(stream, text);
      for (const [at, piece] of pieces.entries()) {
        headIsFull ||= headBytes + piece.bytes > kept.head;
        if (headIsFull)
          return pieces
            .slice(at)
            .map((left) => left.text)
            .join('');
        bytes += piece.bytes;
        headBytes += piece.bytes;
        append(waiting, piece, rowBytes);
      }
      return '';
    },
    addTail(stream: OutputStream, text: string) {
      for (const piece of piecesOf(stream, text)) {
        bytes += piece.bytes;
        tailBytes += piece.bytes;
        append(tail, piece, rowBytes);
      }
      while (tailBytes > kept.tail) {
        const dropped = tail.shift();
        if (!dropped) break;
        tailBytes -= dropped.bytes;
        lost += dropped.bytes;
      }
    },
    skip(count: number) {
      bytes += count;
      lost += count;
      headIsFull = true;
    },
    /** The oldest waiting pieces of one stream, at most `count`. */
    take(stream: OutputStream, count: number): Piece[] {
      const taken = waiting.filter((piece) => piece.stream === stream).slice(0, count);
      waiting = waiting.filter((piece) => !taken.includes(piece));
      return taken;
    },
    drain(): OutputSummary & { pieces: Piece[] } {
      const notice = `[… ${lost} bytes of output left out here …]\n`;
      const gap: Piece[] = lost > 0 ? [{ stream: 'stdout', text: notice, bytes: 0 }] : [];
      const pieces = [...waiting, ...gap, ...tail];
      waiting = [];
      tail = [];
      return { pieces, bytes, cut: lost > 0 };
    },
  };
}

/** Small pieces become one row, so that many short lines are not as many rows. */
function append(pieces: Piece[], piece: Piece, maxBytes: number): void {
  const last = pieces.at(-1);
  if (last?.stream !== piece.stream || last.bytes + piece.bytes > maxBytes) {
    pieces.push(piece);
    return;
  }
  const { stream } = last;
  pieces[pieces.length - 1] = {
    stream,
    text: last.text + piece.text,
    bytes: last.bytes + piece.bytes,
  };
}

/** Pieces of at most `maxBytes` in UTF-8, never within a character, at a line's end if there is one. */
export function splitText(text: string, maxBytes: number): string[] {
  const pieces: string[] = [];
  let rest = Buffer.from(text, 'utf8');
  while (rest.length > maxBytes) {
    const newline = rest.lastIndexOf(0x0a, maxBytes - 1);
    let end = newline > 0 ? newline + 1 : maxBytes;
    // A continuation byte (10xxxxxx) is no place to cut.
    while (((rest[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    pieces.push(rest.subarray(0, end).toString('utf8'));
    rest = rest.subarray(end);
  }
  if (rest.length > 0) pieces.push(rest.toString('utf8'));
  return pieces;
}
