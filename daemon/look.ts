import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import {
  type ContentFacts,
  type FileFact,
  type FoundFile,
  openTo,
  type Rights,
} from '../shared/domain/content.ts';
import type { GateResult } from '../shared/domain/gate-result.ts';
import type { Target } from '../shared/domain/target.ts';
import { judgeReading } from '../shared/gate/content/follow.ts';
import { furtherFiles } from '../shared/gate/content/further.ts';
import type { GateFacts } from '../shared/gate/facts.ts';
import type { GatePolicy } from '../shared/gate/policy.ts';
import { factsOf, type GateGround } from '../shared/gate-facts.ts';
import type { Look, LookAsk, LookedFile } from './ssh/preflight.ts';

/** What to look at, place by place: the target itself, and guests that a command on a host enters. */
export interface LookPlan {
  readonly files: readonly { readonly path: string; readonly in?: string; readonly use: string }[];
  readonly globs: readonly string[];
  readonly operands: readonly { readonly path: string; readonly in?: string }[];
}

/** Further files than these are no command that a person could check. */
export const MAX_LOOKED = 128;

/** Everything that must be known of a command's files; undefined when there is nothing. */
export function planLook(gate: GateResult): LookPlan | undefined {
  const files = (gate.contents ?? []).flatMap(({ paths, use, in: place }) =>
    paths.map((path) => ({ path, use, ...(place !== undefined && { in: place }) })),
  );
  const plan = {
    files: distinct(files),
    globs: [...new Set((gate.globs ?? []).map(({ pattern }) => pattern))],
    operands: distinct(gate.operands ?? []),
  };
  return plan.files.length + plan.globs.length + plan.operands.length > 0 ? plan : undefined;
}

function distinct<T extends { path: string; in?: string }>(files: readonly T[]): readonly T[] {
  return [...new Map(files.map((file) => [`${file.in ?? ''} ${file.path}`, file])).values()];
}

/** Why the plan cannot be carried out at all, in words. */
export function planTrouble(plan: LookPlan, target: Target): string | undefined {
  if (plan.files.length + plan.globs.length + plan.operands.length > MAX_LOOKED) {
    return `it names more than ${MAX_LOOKED} files to look at: split it`;
  }
  const inner = placesOf(plan).some((place) => place !== undefined);
  return inner && target.kind !== 'host' ? 'it enters a guest from within a guest' : undefined;
}

/** The places that the plan names; undefined is the target itself. */
export function placesOf(plan: LookPlan): readonly (string | undefined)[] {
  const named = [...plan.files, ...plan.operands].map((file) => file.in);
  return [...new Set([...named, ...plan.globs.map(() => undefined)])];
}

/** The part of the plan that lies in one place. */
export function askOf(plan: LookPlan, place: string | undefined, heads: boolean): LookAsk {
  const here = <T extends { in?: string }>(all: readonly T[]) =>
    all.flatMap((file, index) => (file.in === place ? [{ ...file, index }] : []));
  return {
    files: here(plan.files),
    globs: place === undefined ? plan.globs.map((pattern, index) => ({ pattern, index })) : [],
    reals: here(plan.operands),
    heads,
  };
}

/** The guest that `lxc/101` names, seen from a target that is its host. */
export function placeTarget(target: Target, place: string | undefined): Target {
  if (place === undefined) return target;
  const vmid = Number(place.split('/')[1]);
  return { kind: 'lxc', slug: place, name: place, host: target.slug, vmid };
}

/** By what the text of a file is judged. */
export interface Reading {
  readonly facts: GateFacts;
  readonly policy: GatePolicy;
}

/** The same rules as for the command itself. */
export function readingOn(row: ExecutionRow, ground: GateGround): Reading {
  const facts = { ...factsOf(targetOf(row), ground), shell: row.dialect };
  return { facts, policy: ground.settings.policy };
}

export interface Reader {
  readonly target: Target;
  readonly reading: Reading;
  readonly redact: (text: string) => string;
}

/** The facts of a look, or why they are none: something that was asked for did not come. */
export function factsFrom(
  plan: LookPlan,
  look: Look,
  reader: Reader,
): ContentFacts | { readonly trouble: string } {
  const files: FileFact[] = [];
  for (const [index, { path, use, in: place }] of plan.files.entries()) {
    const looked = look.files.get(index);
    if (!looked) return { trouble: `${path} could not be looked at` };
    const found = looked.state === 'file' ? foundFile(path, place, looked, reader) : undefined;
    const where = place === undefined ? {} : { in: place };
    files.push({ path, ...where, use, state: looked.state, ...(found && { found }) });
  }
  const lists = [];
  for (const [index, pattern] of plan.globs.entries()) {
    const list = look.lists.get(index);
    if (!list) return { trouble: `${pattern} could not be listed` };
    lists.push({ pattern, ...list });
  }
  return { files, lists };
}

function foundFile(
  path: string,
  place: string | undefined,
  looked: LookedFile,
  { target, reading, redact }: Reader,
): FoundFile {
  const { real, size, owner, uid, gid, mode, sha256, runner } = looked;
  const onHost = target.kind === 'host' && place === undefined;
  const open = onHost ? openTo(looked, looked.folders.map(rightsOf), runner) : undefined;
  const secret = [path, real].some(
    (name) => judgeReading(name, reading.facts, reading.policy).secret,
  );
  const text = secret ? undefined : textOf(looked.head);
  const head = text === undefined ? undefined : beginning(text);
  return {
    real,
    size,
    owner,
    uid,
    gid,
    mode,
    sha256,
    ...(head !== undefined && { head: redact(head) }),
    ...(open !== undefined && { openTo: open }),
  };
}

function rightsOf(folders: readonly string[]): readonly Rights[] {
  return folders.map((folder) => {
    const [uid, gid, mode = '777'] = folder.split(':');
    return { uid: Number(uid), gid: Number(gid), mode };
  });
}

const HEAD_LINES = 20;
const HEAD_LENGTH = 2_048;

/** As much of a text as a card shows. */
function beginning(text: string): string {
  const lines = text.split('\n');
  const kept = lines.slice(0, HEAD_LINES).join('\n');
  return (lines.length > HEAD_LINES ? `${kept}\n` : kept).slice(0, HEAD_LENGTH);
}

/** More than these, over all files, are no list that a person would check. */
const MAX_FURTHER = 32;

/** What the files name in turn, one level further: to be looked at like them. */
export interface FurtherPlan {
  readonly plan: LookPlan;
  /** By which file each of them is named. */
  readonly namedBy: ReadonlyMap<string, string>;
  readonly unseen: readonly string[];
}

/** Reads what the first look brought for the names in it. */
export function furtherPlan(plan: LookPlan, look: Look, { facts }: Reading): FurtherPlan {
  const known = new Set(plan.files.map(keyOf));
  const found = plan.files.flatMap((file, index) => namedIn(file, look.files.get(index), facts));
  const fresh = new Map(
    found.flatMap(({ file, by }) => (file ? [[keyOf(file), { file, by }]] : [])),
  );
  const all = [...fresh].filter(([key]) => !known.has(key));
  const taken = all.slice(0, MAX_FURTHER);
  const left = all.slice(MAX_FURTHER).map(([, { file }]) => file.path);
  const unseen = [...found.flatMap((each) => each.unseen ?? []), ...left];
  return {
    plan: { files: taken.map(([, { file }]) => file), globs: [], operands: [] },
    namedBy: new Map(taken.map(([key, { by }]) => [key, by])),
    unseen: [...new Set(unseen)].slice(0, MAX_FURTHER),
  };
}

interface NamedIn {
  readonly by: string;
  readonly file?: LookPlan['files'][number];
  readonly unseen?: string;
}

function namedIn(
  { path, in: place }: LookPlan['files'][number],
  looked: LookedFile | undefined,
  facts: GateFacts,
): readonly NamedIn[] {
  const text = looked?.state === 'file' ? textOf(looked.head) : undefined;
  if (looked === undefined || text === undefined) return [];
  const where = place === undefined ? {} : { in: place };
  const { files, unseen } = furtherFiles({ path, real: looked.real, text, ...where }, facts);
  const cut = looked.size > looked.head.length ? [`what the rest of ${path} names`] : [];
  return [
    ...files.map((file) => ({ by: path, file })),
    ...[...unseen, ...cut].map((name) => ({ by: path, unseen: name })),
  ];
}

const keyOf = (file: { readonly path: string; readonly in?: string }): string =>
  `${file.in ?? ''} ${file.path}`;

/** The facts of both looks as one. */
export function withFurther(
  facts: ContentFacts,
  further: ContentFacts,
  { namedBy, unseen }: FurtherPlan,
): ContentFacts {
  const named = further.files.map((file): FileFact => {
    const by = namedBy.get(keyOf(file));
    const shown = SHOWN.test(file.use) ? file : withoutHead(file);
    return by === undefined ? shown : { ...shown, namedBy: by };
  });
  return { ...facts, files: [...facts.files, ...named], ...(unseen.length > 0 && { unseen }) };
}

/** Settings and what services are handed often are passwords, under any name. */
const SHOWN = /^(runs|applies|builds)/;

function withoutHead({ found, ...file }: FileFact): FileFact {
  if (found === undefined) return file;
  const { head: _, ...rest } = found;
  return { ...file, found: rest };
}

/** The plan with what the files named when the card was made: their own texts are compared first. */
export function withNamed(plan: LookPlan, facts: ContentFacts | null): LookPlan {
  const named = (facts?.files ?? []).filter(({ namedBy }) => namedBy !== undefined);
  return { ...plan, files: distinct([...plan.files, ...named]) };
}

/** The bytes as text; undefined where they are none. A character cut at the end does not count. */
function textOf(head: Buffer): string | undefined {
  if (head.includes(0)) return undefined;
  const text = new TextDecoder('utf-8').decode(head, { stream: true });
  return text.includes('\uFFFD') ? undefined : text;
}

/**
 * Why a read_only command may not start: one of its files leads somewhere that is no plain look.
 * What its path says was judged before; only a path that leads elsewhere is judged again.
 */
export function leadsAway(
  plan: LookPlan,
  look: Look,
  { facts, policy }: Reading,
): string | undefined {
  for (const [index, { path, in: place }] of plan.operands.entries()) {
    const real = look.reals.get(index);
    if (real === undefined) return `${path} could not be followed to where it leads`;
    if (real === null || real === path) continue;
    const there: GateFacts = place === undefined ? facts : { shell: facts.shell };
    const { risk, why } = judgeReading(real, there, policy);
    if (risk !== 'read_only') return `${path} leads to ${real}: ${why}`;
  }
  return undefined;
}
