import { literal, type Value } from '../value.ts';
import type { Found } from './files.ts';
import { operandsAfter, valuesOf } from './words.ts';

const FILE_OPTIONS = ['-f', '--file'];
const VALUED = [
  ...FILE_OPTIONS,
  '-p',
  '--project-name',
  '--project-directory',
  '--profile',
  '--ansi',
  '--env-file',
];
const APPLYING = /^(up|create|run|build|watch)$/;
const STACK = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const OVERRIDES = STACK.map((name) => name.replace(/\.(ya?ml)$/, '.override.$1'));
const APPLIES = 'applies it';

/**
 * The stack's files, its settings, and the files that Compose takes by itself: those of the usual
 * names in the stack's folder, and the `.env` beside them.
 */
export function composeFiles(args: readonly Value[]): readonly Found[] {
  const [verb] = operandsAfter(args, VALUED);
  if (!APPLYING.test(verb?.text ?? '')) return [];
  const before = args.slice(0, verb ? args.indexOf(verb) : 0);
  const named = valuesOf(before, FILE_OPTIONS);
  const folder = valuesOf(before, ['--project-directory'])[0] ?? folderOf(named[0]);
  const settings = valuesOf(before, ['--env-file']);
  const stack: readonly Found[] =
    named.length > 0
      ? named.map((file) => ({ files: [file], use: APPLIES, need: 'one' }))
      : [
          { files: below(folder, STACK), use: APPLIES, need: 'one' },
          { files: below(folder, OVERRIDES), use: APPLIES, need: 'any' },
        ];
  return [
    ...stack,
    settings.length > 0
      ? { files: settings, use: 'takes settings from it', need: 'one' }
      : { files: below(folder, ['.env']), use: 'takes settings from it', need: 'any' },
  ];
}

function folderOf(file: Value | undefined): Value | undefined {
  const slash = file?.text?.lastIndexOf('/') ?? -1;
  if (file?.text === undefined) return file;
  return slash < 0 ? undefined : literal(file.text.slice(0, slash) || '/');
}

function below(folder: Value | undefined, names: readonly string[]): readonly Value[] {
  if (folder === undefined) return names.map(literal);
  const { text } = folder;
  return text === undefined ? [folder] : names.map((name) => literal(`${text}/${name}`));
}
