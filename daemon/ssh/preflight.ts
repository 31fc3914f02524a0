import { shellQuote } from './wrap.ts';

/** What to look at in one place. Numbers are the caller's own, given back with the answers. */
export interface LookAsk {
  readonly files: readonly { readonly index: number; readonly path: string }[];
  /** Patterns; literal wildcards are escaped by a backslash. */
  readonly globs: readonly { readonly index: number; readonly pattern: string }[];
  /** Files that may be links: only where they lead. */
  readonly reals: readonly { readonly index: number; readonly path: string }[];
  /** Also the beginning of each file. */
  readonly heads: boolean;
}

export interface LookedFile {
  readonly state: 'file' | 'absent' | 'other';
  readonly size: number;
  readonly uid: number;
  readonly gid: number;
  readonly mode: string;
  readonly owner: string;
  readonly sha256: string;
  /** `uid:gid:mode` of the folders on the way, nearest first: as written, and with links followed. */
  readonly folders: readonly (readonly string[])[];
  readonly real: string;
  readonly head: Buffer;
  /** The user that the command runs as. */
  readonly runner: number;
}

export interface LookedList {
  readonly count: number;
  readonly sha256: string;
  readonly names: readonly string[];
}

export interface Look {
  readonly files: ReadonlyMap<number, LookedFile>;
  readonly lists: ReadonlyMap<number, LookedList>;
  /** Null: there is no such file now. */
  readonly reals: ReadonlyMap<number, string | null>;
}

/** Of one file, and of all of them together: what comes is twice as long in hex. */
const HEAD_BYTES = 16_384;
const ALL_HEADS_BYTES = 196_608;
const NAMES_SHOWN = 10;

/**
 * A POSIX sh program that looks at files and changes nothing. Each answer is one line with the
 * nonce; names and texts in them are in hex, so that no file can forge or break a line.
 */
export function lookScript(ask: LookAsk, nonce: string): string {
  return [
    ...(ask.files.length > 0 ? fileFunctions(nonce, ask.heads ? headBytes(ask) : 0) : []),
    ...(ask.globs.length > 0 ? listFunctions(nonce) : []),
    ...(ask.files.length + ask.globs.length > 0 ? HEX : []),
    ...(ask.reals.length > 0 ? realFunction(nonce) : []),
    ...(ask.files.length + ask.reals.length > 0 ? HIDDEN : []),
    ...ask.files.map(({ index, path }) => `oikos_file ${index} ${shellQuote(path)}`),
    ...ask.globs.map(({ index, pattern }) => `oikos_list ${index} ${globWord(pattern)}`),
    ...ask.reals.map(({ index, path }) => `oikos_real ${index} ${shellQuote(path)}`),
    '',
  ].join('\n');
}

const HEX = ["oikos_hex() { od -An -v -tx1 | tr -d ' \\n'; }"];

/** The dot keeps a line end that belongs to the name from being cut off with the last one. */
const FOLLOW = `r=$(realpath "$f" 2>/dev/null || readlink -f "$f"; echo .); r=\${r%??}`;
/** No path begins with a dash then, so none needs the `--` that not every busybox knows. */
const FROM_HERE = 'case $2 in /*) f=$2 ;; *) f=$(pwd -P)/$2 ;; esac';

/**
 * Whether a file that is not there may be there for root: behind a folder that this user cannot look
 * into, or a link that leads there. What the command does by sudo must not pass as a look at nothing.
 */
const HIDDEN = [
  'oikos_hidden() {',
  '[ "$(id -u)" != 0 ] || return 1',
  `q=\${f%/}; while p=\${q%/*}; [ -n "$p" ] && [ ! -e "$p" ]; do q=$p; done`,
  `[ -L "$q" ] || [ ! -x "\${p:-/}" ]`,
  '}',
];

function headBytes({ files }: LookAsk): number {
  return Math.min(HEAD_BYTES, Math.floor(ALL_HEADS_BYTES / files.length));
}

function fileFunctions(nonce: string, bytes: number): readonly string[] {
  const head = bytes > 0 ? `$(head -c ${bytes} "$f" | oikos_hex)` : '';
  return [
    'oikos_way() {',
    'p=$1; set --',
    `while p=\${p%/*}; [ -n "$p" ]; do set -- "$@" "$p"; done`,
    "stat -L -c '%u:%g:%a' -- \"$@\" / 2>/dev/null | tr '\\n' ,",
    '}',
    'oikos_file() {',
    FROM_HERE,
    `[ -e "$f" ] || { oikos_hidden || echo "oikos ${nonce} file $1 absent"; return; }`,
    `[ -f "$f" ] || { echo "oikos ${nonce} file $1 other"; return; }`,
    FOLLOW,
    's=$(stat -L -c \'%s %u %g %a %U\' -- "$f"); h=$(sha256sum < "$f")',
    `echo "oikos ${nonce} file $1 file $s \${h%% *} $(oikos_way "$f")/$(oikos_way "$r") $(id -u) $(printf %s "$r" | oikos_hex) ${head}"`,
    '}',
  ];
}

function listFunctions(nonce: string): readonly string[] {
  return [
    'oikos_names() { k=0; for m do [ "$k" -lt ' +
      `${NAMES_SHOWN} ] || break; k=$((k + 1)); printf '%s\\0' "$m"; done; }`,
    'oikos_list() {',
    'i=$1; shift',
    '[ -e "$1" ] || [ -L "$1" ] || shift',
    'h=$(for m do printf \'%s\\0\' "$m"; done | sha256sum)',
    `echo "oikos ${nonce} list $i $# \${h%% *} $(oikos_names "$@" | oikos_hex)"`,
    '}',
  ];
}

function realFunction(nonce: string): readonly string[] {
  return [
    'oikos_real() {',
    FROM_HERE,
    `[ -e "$f" ] || { oikos_hidden || echo "oikos ${nonce} real $1 absent"; return; }`,
    FOLLOW,
    // printf, because some shells' echo reads backslashes, which a name may hold.
    `case $r in /*) ;; *) return ;; esac`,
    `case $r in *[[:cntrl:]]*) ;; *) printf '%s\\n' "oikos ${nonce} real $1 at $r" ;; esac`,
    '}',
  ];
}

/** A pattern as one shell word in which only its wildcards, classes as `[:digit:]` too, are not quoted. */
function globWord(pattern: string): string {
  return pattern.replace(/\\(.)|[^A-Za-z0-9/._*?[\]!^:=-]/gsu, (found, escaped?: string) =>
    shellQuote(escaped ?? found),
  );
}

/**
 * Shell lines that print what each place says, every line of it behind the place's number: what a
 * guest prints can then pass for no other place's answer, and for no frame of ours. The empty line
 * ends what a place left open.
 */
export function placeLines(lines: readonly string[], nonce: string): readonly string[] {
  return lines.map(
    (line, place) =>
      `{ ${line} </dev/null 2>/dev/null; echo; } | sed ${shellQuote(`s/^/oikos ${nonce} place ${place} /`)}`,
  );
}

/** What a place said, from what `placeLines` printed. */
export function saidBy(place: number, received: string, nonce: string): string {
  const prefix = `oikos ${nonce} place ${place} `;
  const lines = received.split('\n').filter((line) => line.startsWith(prefix));
  return lines.map((line) => `${line.slice(prefix.length)}\n`).join('');
}

/**
 * Reads the answers to `lookScript`; what did not come is not in them, nor what was not asked.
 * A last line without its end is no answer.
 */
export function readLook(received: string, nonce: string, ask: LookAsk): Look {
  const files = new Map<number, LookedFile>();
  const lists = new Map<number, LookedList>();
  const reals = new Map<number, string | null>();
  const asked = (all: readonly { index: number }[], index: number) =>
    all.some((one) => one.index === index);
  const line = new RegExp(`^oikos ${nonce} (file|list|real) (\\d+) ([^]*)$`);
  for (const text of received.split('\n').slice(0, -1)) {
    const [, kind, number, rest = ''] = line.exec(text.replace(/\r$/, '')) ?? [];
    const index = Number(number);
    if (kind === 'real' && asked(ask.reals, index)) {
      reals.set(index, rest === 'absent' ? null : rest.slice('at '.length));
    }
    if (kind === 'list' && asked(ask.globs, index)) setIf(lists, index, readList(rest));
    if (kind === 'file' && asked(ask.files, index)) setIf(files, index, readFile(rest));
  }
  return { files, lists, reals };
}

/** One look from those in several places, whose numbers never meet. */
export function mergeLooks(looks: readonly Look[]): Look {
  return {
    files: new Map(looks.flatMap(({ files }) => [...files])),
    lists: new Map(looks.flatMap(({ lists }) => [...lists])),
    reals: new Map(looks.flatMap(({ reals }) => [...reals])),
  };
}

function setIf<T>(map: Map<number, T>, index: number, value: T | undefined): void {
  if (value !== undefined) map.set(index, value);
}

const FILE_LINE =
  /^file (\d+) (\d+) (\d+) ([0-7]+) (\S+) ([0-9a-f]{64}) ([\d:,]*)\/([\d:,]*) (\d+) ([0-9a-f]*) ([0-9a-f]*)$/;
const NOTHING = {
  size: 0,
  uid: 0,
  gid: 0,
  mode: '',
  owner: '',
  sha256: '',
  folders: [],
  real: '',
  head: Buffer.alloc(0),
  runner: 0,
};

function readFile(rest: string): LookedFile | undefined {
  if (rest === 'absent' || rest === 'other') return { ...NOTHING, state: rest };
  const found = FILE_LINE.exec(rest);
  if (!found) return undefined;
  const [, size, uid, gid, mode = '', owner = '', sha256 = '', way = '', realWay = ''] = found;
  const [runner, real = '', head = ''] = found.slice(9);
  return {
    state: 'file',
    size: Number(size),
    uid: Number(uid),
    gid: Number(gid),
    mode,
    owner,
    sha256,
    folders: [way, realWay].map((text) => text.split(',').filter((part) => part !== '')),
    real: fromHex(real).toString('utf8'),
    head: fromHex(head),
    runner: Number(runner),
  };
}

function readList(rest: string): LookedList | undefined {
  const found = /^(\d+) ([0-9a-f]{64}) ([0-9a-f]*)$/.exec(rest);
  if (!found) return undefined;
  const [, count, sha256 = '', names = ''] = found;
  const shown = fromHex(names).toString('utf8').split('\0');
  return { count: Number(count), sha256, names: shown.filter((name) => name !== '') };
}

function fromHex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
