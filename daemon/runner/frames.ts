import type { OutputStream } from '../ssh/transport.ts';

/** What the program on the channel says (channel.sh), but for the output itself. */
export type Frame =
  | { [K in Simple]: { readonly kind: K } }[Simple]
  | { readonly kind: 'missing'; readonly program: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'end'; readonly end: EndFrame }
  | { readonly kind: 'lost'; readonly why: 'reboot' | 'killed'; readonly stillRuns: boolean }
  /** A line of a preflight, without its beginning. */
  | { readonly kind: 'other'; readonly text: string };

export interface EndFrame {
  readonly code: number;
  readonly stopped: 'limit' | 'cancel' | undefined;
  /** Seconds since the end; undefined when the host was restarted since. */
  readonly agoSeconds: number | undefined;
  /** How its Proxmox task ended (`OK`, `received_interrupt`, `unknown`), where that decides. */
  readonly task?: string;
  /** All bytes that the command wrote, kept or not. */
  readonly bytes: { readonly stdout: number; readonly stderr: number };
}

export interface FrameHandlers {
  readonly onFrame: (frame: Frame) => void;
  /** Bytes of a stream; `at` is the place of the first one in the whole stream. */
  readonly onData: (stream: OutputStream, at: number, bytes: Buffer) => void;
  /** What comes is not what channel.sh says: the channel is of no use any more. */
  readonly onGarbage: (why: string) => void;
}

export interface FrameReader {
  push(chunk: Buffer): void;
  readonly begun: boolean;
}

const SIMPLE = [
  'ready',
  'exists',
  'started',
  'more',
  'still',
  'absent',
  'cleaned',
  'swept',
  'changed',
] as const;
type Simple = (typeof SIMPLE)[number];

/** A look shows the head of a file in hex. */
const LONGEST_LINE = 64 * 1024;
/** More before the first frame is no banner. */
const LONGEST_BANNER = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads frames by their nonce and lengths: nothing within the announced bytes is ever read as a
 * frame. Banners before the first one are passed over; memory is bounded by one line.
 */
export function createFrameReader(nonce: string, handlers: FrameHandlers): FrameReader {
  const prefix = `oikos ${nonce} `;
  let line: Buffer = Buffer.alloc(0);
  let banner = 0;
  let begun = false;
  let broken = false;
  let data: { readonly stream: OutputStream; at: number; left: number } | undefined;

  const garbage = (why: string) => {
    broken = true;
    handlers.onGarbage(why);
  };
  const takeLine = (text: string) => {
    if (!text.startsWith(prefix)) {
      if (begun) garbage('the host said something that is no frame');
      return;
    }
    begun = true;
    const said = text.slice(prefix.length);
    const words = said.split(' ');
    if (words[0] !== 'data') {
      handlers.onFrame(frameOf(words, said));
      return;
    }
    const [, letter, at = '', length = ''] = words;
    data = {
      stream: letter === 'e' ? 'stderr' : 'stdout',
      at: Number.parseInt(at, 10),
      left: Number.parseInt(length, 10),
    };
    if (!(data.at >= 0 && data.left > 0)) garbage('the host announced no output');
  };
  /** Answers what of the chunk is left. */
  const takeData = (chunk: Buffer, open: NonNullable<typeof data>): Buffer => {
    const bytes = chunk.subarray(0, open.left);
    handlers.onData(open.stream, open.at, bytes);
    open.at += bytes.length;
    open.left -= bytes.length;
    if (open.left === 0) data = undefined;
    return chunk.subarray(bytes.length);
  };
  const takeText = (chunk: Buffer): Buffer => {
    const end = chunk.indexOf(NEWLINE);
    const upTo = end === -1 ? chunk.length : end;
    line = Buffer.concat([line, chunk.subarray(0, upTo)]);
    if (!begun) banner += upTo;
    if (banner > LONGEST_BANNER || (begun && line.length > LONGEST_LINE)) {
      garbage('the host prints something else than a shell would');
      return Buffer.alloc(0);
    }
    if (end === -1) return Buffer.alloc(0);
    const text = line.toString('utf8').replace(/\r$/, '');
    line = Buffer.alloc(0);
    takeLine(text);
    return chunk.subarray(end + 1);
  };

  return {
    get begun() {
      return begun;
    },
    push(chunk) {
      let rest = chunk;
      while (rest.length > 0 && !broken) rest = data ? takeData(rest, data) : takeText(rest);
    },
  };
}

function frameOf(words: readonly string[], text: string): Frame {
  const [kind = '', first = '', second = ''] = words;
  const simple = SIMPLE.find((known) => known === kind);
  if (simple) return { kind: simple };
  switch (kind) {
    case 'missing':
      return { kind, program: first };
    case 'refused':
      return { kind, why: first };
    case 'lost':
      return { kind, why: first === 'reboot' ? 'reboot' : 'killed', stillRuns: second === '1' };
    case 'end':
      return endOf(words);
    default:
      return { kind: 'other', text };
  }
}

/** An end that cannot be read (a power cut in its middle) is no end. */
function endOf(words: readonly string[]): Frame {
  const [code, ago, stdout, stderr] = [1, 3, 4, 5].map((at) =>
    Number.parseInt(words[at] ?? '', 10),
  );
  if ([code, ago, stdout, stderr].some((number) => Number.isNaN(number))) {
    return { kind: 'lost', why: 'killed', stillRuns: false };
  }
  const task = words[6] ?? '';
  const stopped = (['limit', 'cancel'] as const).find((known) => known === words[2]);
  return {
    kind: 'end',
    end: {
      code: code ?? 0,
      stopped,
      // A spool of an older Oikos says a dot.
      ...(/^[A-Za-z0-9]/.test(task) && { task }),
      agoSeconds: ago === undefined || ago < 0 ? undefined : ago,
      bytes: { stdout: stdout ?? 0, stderr: stderr ?? 0 },
    },
  };
}
