import { parseAllDocuments } from 'yaml';
import { classify } from '../classify.ts';
import type { GateFacts } from '../facts.ts';
import { normalise } from '../places.ts';

/** A file that a command executes or applies, with its text as far as it was read. */
export interface NamingFile {
  readonly path: string;
  /** Where the path leads. */
  readonly real: string;
  readonly in?: string;
  readonly text: string;
}

/** What such a file names in turn: one level further, and what nobody can follow from here. */
export interface Further {
  readonly files: readonly { readonly path: string; readonly use: string; readonly in?: string }[];
  readonly unseen: readonly string[];
}

/** More than these of one file are no list that a person would check. */
const MAX_NAMED = 16;
const NOTHING: Further = { files: [], unseen: [] };

type Named = { readonly path: string; readonly verb: string; readonly in?: string };
interface Found {
  readonly named: readonly Named[];
  readonly unseen: readonly string[];
}

/** The files that this one names by itself, by the kind of file that it is. */
export function furtherFiles(file: NamingFile, facts: GateFacts): Further {
  const found = readerOf(file)?.(file, facts);
  if (!found) return NOTHING;
  const folder = (file.path.startsWith('/') ? file.path : file.real).replace(/\/[^/]*$/, '');
  const unseen = [...found.unseen];
  const files = new Map<string, Further['files'][number]>();
  for (const { path, verb, in: place = file.in } of found.named) {
    if (!isPlain(path) || files.size >= MAX_NAMED) unseen.push(path);
    else {
      const whole = normalise(path.startsWith('/') ? path : `${folder}/${path}`);
      const use = `${verb}, as ${file.path} says`;
      files.set(whole, { path: whole, use, ...(place !== undefined && { in: place }) });
    }
  }
  files.delete(file.path);
  return { files: [...files.values()], unseen: [...new Set(unseen)] };
}

/** A path as it stands: nothing to be filled in, no address. */
const isPlain = (path: string): boolean => /^[\w./@+,:-]+$/.test(path) && !path.includes('://');

type Reader = (file: NamingFile, facts: GateFacts) => Found;

function readerOf({ path, real, text }: NamingFile): Reader | undefined {
  const names = [path, real];
  if (names.some((name) => /\.(service|timer|socket|path|mount|conf)$/.test(name))) {
    return /^\[(Unit|Service|Timer|Socket|Path|Mount)\]/m.test(text) ? unit : undefined;
  }
  if (names.some((name) => /\.ya?ml$/.test(name))) {
    return /^(services|include):/m.test(text) ? compose : playbook;
  }
  if (/^#!.*\b(ba|da|a|z|k)?sh\b/.test(text) || names.some((name) => /\.(ba)?sh$/.test(name))) {
    return script;
  }
  return /^(@\w+|[\d*/,-]+( +[\d*/,-]+){4})\s+\S/m.test(text) ? crontab : undefined;
}

/** A script's own commands name files by the very rules that a command line does. */
function script({ text, in: place }: NamingFile, facts: GateFacts): Found {
  const { contents = [], parts } = classify({ command: text, facts });
  const named: Named[] = [];
  const unseen: string[] = [];
  for (const { paths, use, in: inner } of contents) {
    const nested = inner !== undefined && place !== undefined;
    for (const path of paths) {
      // Where a script stands when it comes to a line nobody knows.
      if (!path.startsWith('/') || nested) unseen.push(path);
      else named.push({ path, verb: use, ...(inner !== undefined && { in: inner }) });
    }
  }
  unseen.push(...parts.filter(({ rule }) => rule === 'unseen file').map((part) => part.text));
  return { named, unseen };
}

function crontab(file: NamingFile, facts: GateFacts): Found {
  const lines = file.text.split('\n').flatMap((text) => {
    const command = /^(?:@\w+|[\d*/,-]+(?:\s+[\w*/,-]+){4})\s+(.*)$/.exec(text)?.[1];
    return command === undefined ? [] : [command];
  });
  return script({ ...file, text: lines.join('\n') }, facts);
}

const SYSTEM_BIN = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

/** `Key = value`. */
function setting(line: string): readonly [key: string, value: string] {
  const [key = '', ...value] = line.split('=');
  return [key.trim(), value.join('=').trim()];
}

/** What a unit starts and takes its settings from; what lies beside it can add to both. */
function unit({ path, text }: NamingFile, facts: GateFacts): Found {
  const named: Named[] = [];
  const unseen: string[] = [];
  for (const [key, value] of text.split('\n').map(setting)) {
    if (key === 'EnvironmentFile' && value !== '') {
      named.push({ path: value.replace(/^-/, ''), verb: 'takes settings from it' });
    } else if (/^Exec(Start|Stop|Reload|Condition)/.test(key)) {
      const command = value.replace(/^[-@:+!|]+/, '');
      const [program = ''] = command.split(/\s+/);
      if (program.startsWith('/') && !SYSTEM_BIN.test(program)) {
        named.push({ path: program, verb: 'runs it' });
      }
      const inner = script({ path, real: path, text: command }, facts);
      named.push(...inner.named);
      unseen.push(...inner.unseen);
    }
  }
  if (!/\.conf$/.test(path)) named.push({ path: `${path}.d`, verb: 'adds what lies in it' });
  return { named, unseen };
}

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** As many uses of anchors as a large stack has; more would be a bomb. */
const MAX_ALIASES = 1000;

/** What the documents of a text name; a document that cannot be evaluated is told as unseen. */
function namedByDocuments(
  { path, text }: NamingFile,
  namedBy: (whole: unknown) => readonly Named[],
): Found {
  // A text that was cut off, or that is no YAML, still names what stands before that place.
  const found = parseAllDocuments(text, { logLevel: 'silent' }).map((document) => {
    try {
      return namedBy(document.toJS({ maxAliasCount: MAX_ALIASES }));
    } catch {
      return undefined;
    }
  });
  return {
    named: found.flatMap((named) => named ?? []),
    unseen: found.includes(undefined) ? [`what ${path} names`] : [],
  };
}

/** `- a.env`, `- path: a.env`. */
function paths(value: unknown, key = 'path'): readonly string[] {
  return list(value)
    .flatMap((each) => (typeof each === 'string' ? [each] : list(record(each)[key])))
    .filter((each) => typeof each === 'string');
}

const compose: Reader = (file) => namedByDocuments(file, namedByStack);

/** Included stacks, what services extend, their settings and how their images are built. */
function namedByStack(stack: unknown): readonly Named[] {
  const whole = record(stack);
  const named: Named[] = [];
  const add = (verb: string, found: readonly string[]) =>
    named.push(...found.map((path) => ({ path, verb })));
  add('applies it', paths(whole['include']));
  add(
    'takes settings from it',
    list(whole['include']).flatMap((each) => paths(record(each)['env_file'])),
  );
  for (const service of Object.values(record(whole['services'])).map(record)) {
    add('applies it', paths(record(service['extends'])['file']));
    add('takes settings from it', paths(service['env_file']));
    add('builds an image by it', dockerfile(service['build']));
  }
  for (const kind of ['configs', 'secrets']) {
    const entries = Object.values(record(whole[kind]));
    add(
      'hands it to services',
      entries.flatMap((entry) => paths(record(entry)['file'])),
    );
  }
  return named;
}

function dockerfile(build: unknown): readonly string[] {
  if (build === undefined || build === null) return [];
  const {
    context = '.',
    dockerfile: name = 'Dockerfile',
    dockerfile_inline: inline,
  } = record(build);
  if (inline !== undefined) return [];
  const folder = typeof build === 'string' ? build : String(context);
  return [`${folder.replace(/\/$/, '')}/${String(name)}`];
}

const TASKS = /^(ansible\.builtin\.)?(include|import)_(tasks|playbook|vars)$|^include$/;

const BLOCKS = /^(tasks|pre_tasks|post_tasks|handlers|block|rescue|always)$/;
const MAX_BLOCKS = 8;

/** Roles, tasks, plays and variables of a playbook. */
const playbook: Reader = (file) => namedByDocuments(file, (whole) => namedByTasks(whole, 0));

function namedByTasks(tasks: unknown, depth: number): readonly Named[] {
  if (depth > MAX_BLOCKS) return [];
  return list(tasks).flatMap((task) =>
    Object.entries(record(task)).flatMap(([key, value]) => namedByTask(key, value, depth)),
  );
}

function namedByTask(key: string, value: unknown, depth: number): readonly Named[] {
  if (BLOCKS.test(key)) return namedByTasks(value, depth + 1);
  if (TASKS.test(key)) return paths(value, 'file').map((path) => ({ path, verb: 'applies it' }));
  if (key === 'vars_files') {
    return paths(value).map((path) => ({ path, verb: 'takes settings from it' }));
  }
  if (key === 'roles') return paths(value, 'role').map(role);
  return /(include|import)_role$/.test(key) ? paths(value, 'name').map(role) : [];
}

const role = (name: string): Named => ({
  path: name.includes('/') ? `${name}/tasks/main.yml` : `roles/${name}/tasks/main.yml`,
  verb: 'applies it',
});
