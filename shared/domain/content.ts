import type { GateContent, GateResult } from './gate-result.ts';

/** One file as it was found: everything that a yes is given to, beside its first lines. */
export interface FileFact {
  readonly path: string;
  readonly in?: string;
  readonly use: string;
  /** The file that names this one; absent where the command itself does. */
  readonly namedBy?: string;
  /** `other`: a folder, a device, anything that has no text of its own. */
  readonly state: 'file' | 'absent' | 'other';
  readonly found?: FoundFile;
}

export interface FoundFile {
  /** Where its path leads once every link is followed. */
  readonly real: string;
  readonly size: number;
  readonly owner: string;
  readonly uid: number;
  readonly gid: number;
  /** Octal, e.g. `755`. */
  readonly mode: string;
  readonly sha256: string;
  /** Its first lines, secrets taken out; absent where it holds no text. */
  readonly head?: string;
  /** Someone else than root may change it, in words; only asked of hosts. */
  readonly openTo?: string;
}

/** What a pattern matched. */
export interface ListFact {
  readonly pattern: string;
  readonly count: number;
  /** Of all names with their closing NUL. */
  readonly sha256: string;
  /** The first of them. */
  readonly names: readonly string[];
}

/** What was found on the target before a command was judged; stored on its row. */
export interface ContentFacts {
  readonly files: readonly FileFact[];
  readonly lists: readonly ListFact[];
  /** What the files name in turn and nobody looked at, as it is written there. */
  readonly unseen?: readonly string[];
}

/** A folder or file as `stat` tells it. */
export interface Rights {
  readonly uid: number;
  readonly gid: number;
  readonly mode: string;
}

/** Whether something must be found out on the target before the command can be judged. */
export function needsFacts(gate: Pick<GateResult, 'contents' | 'globs'>): boolean {
  return (gate.contents?.length ?? 0) > 0 || (gate.globs?.length ?? 0) > 0;
}

/** How many patterns matched anything, over all of them. */
export function matchesOf(facts: ContentFacts | null): number {
  return facts?.lists.reduce((sum, { count }) => sum + count, 0) ?? 0;
}

/** The part of the facts that a yes depends on, for the hash on the card. */
export function factsText(facts: ContentFacts): readonly unknown[] {
  return [
    ...facts.files.map(({ path, in: place, state, found }) => [
      place ?? '',
      path,
      state,
      ...(found ? [found.real, found.uid, found.gid, found.mode, found.sha256] : []),
    ]),
    ...facts.lists.map(({ pattern, count, sha256 }) => [pattern, count, sha256]),
  ];
}

/** Why these facts forbid the command, in words; none when it may be asked for. */
export function objections(
  gate: Pick<GateResult, 'contents' | 'globs'>,
  facts: ContentFacts,
): readonly string[] {
  return [
    ...(gate.contents ?? []).flatMap((content) => contentObjections(content, facts)),
    ...facts.files.flatMap(({ path, namedBy, found }) =>
      namedBy !== undefined && found?.openTo
        ? [`${path}, which ${namedBy} names, is no safe thing to use: ${found.openTo}`]
        : [],
    ),
    ...(gate.globs?.length && matchesOf(facts) === 0 ? ['its pattern matches nothing'] : []),
  ];
}

function contentObjections(content: GateContent, facts: ContentFacts): readonly string[] {
  const places = content.paths.map((path) => factOf(facts, path, content.in));
  const there = places.filter((fact) => fact !== undefined && fact.state !== 'absent');
  const odd = there.flatMap((fact) => (fact?.state === 'other' ? [`${fact.path} is no file`] : []));
  const open = there.flatMap((fact) =>
    fact?.found?.openTo ? [`${fact.path} is no safe thing to run: ${fact.found.openTo}`] : [],
  );
  const missing = content.need === 'one' && there.length === 0;
  const named = content.paths.slice(0, 4).join(' or ');
  return [...(missing ? [`there is no ${named}`] : []), ...odd, ...open];
}

export function factOf(
  facts: ContentFacts,
  path: string,
  place: string | undefined,
): FileFact | undefined {
  return facts.files.find((fact) => fact.path === path && fact.in === place);
}

/**
 * What differs from the facts that a yes was given to, in words; undefined when nothing does.
 * Compared is all that a file is judged by, not only its bytes: a change of owner counts too.
 */
export function differenceOf(before: ContentFacts, now: ContentFacts): string | undefined {
  for (const fact of now.files) {
    const old = factOf(before, fact.path, fact.in);
    if (old === undefined) return `${fact.path} was not looked at when this was proposed`;
    if (old.state !== fact.state) return `${fact.path} ${STATE_WORDS[fact.state]}`;
    const changed = old.found && fact.found && changeOf(old.found, fact.found);
    if (changed) return `${fact.path} ${changed} since it was shown`;
    if (fact.found?.openTo) return `${fact.path}: ${fact.found.openTo}`;
  }
  for (const list of now.lists) {
    const old = before.lists.find(({ pattern }) => pattern === list.pattern);
    if (old?.sha256 === list.sha256) continue;
    const then = old === undefined ? 0 : old.count;
    return `${list.pattern} matches other files than when this was proposed (${then} then, ${list.count} now)`;
  }
  return undefined;
}

const STATE_WORDS: Readonly<Record<FileFact['state'], string>> = {
  file: 'is there now, and was not when this was proposed',
  absent: 'is gone',
  other: 'is no file any more',
};

function changeOf(old: FoundFile, now: FoundFile): string | undefined {
  if (old.sha256 !== now.sha256) return 'has other text';
  if (old.real !== now.real) return `leads to ${now.real}`;
  if (old.uid !== now.uid || old.gid !== now.gid) return 'has another owner';
  return old.mode === now.mode ? undefined : 'has other rights';
}

const ROOT = 0;

/**
 * Who else could change a file on a host, in words; undefined when only root (or the user that the
 * command runs as) can. `folders` are those on the way to it, the nearest first: whoever may write
 * to one of them can put another file in its place. A sticky folder keeps others' files safe, but
 * not as the nearest: there anybody may have made this very file.
 */
export function openTo(
  file: Rights,
  folders: readonly (readonly Rights[])[],
  runner: number,
): string | undefined {
  const isOurs = ({ uid }: Rights) => uid === ROOT || uid === runner;
  if (!isOurs(file)) return `it belongs to user ${file.uid}`;
  if (othersWrite(file)) return `others may write to it (mode ${file.mode})`;
  for (const way of folders) {
    for (const [at, folder] of way.entries()) {
      const safe = at > 0 && isSticky(folder);
      if (!isOurs(folder)) return `a folder on its way belongs to user ${folder.uid}`;
      if (othersWrite(folder) && !safe)
        return `others may write to a folder on its way (mode ${folder.mode})`;
    }
  }
  return undefined;
}

function othersWrite({ gid, mode }: Rights): boolean {
  const bits = Number.parseInt(mode, 8);
  return (bits & 0o002) !== 0 || ((bits & 0o020) !== 0 && gid !== ROOT);
}

function isSticky({ mode }: Rights): boolean {
  return (Number.parseInt(mode, 8) & 0o1000) !== 0;
}
