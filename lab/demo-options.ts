import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** What `npm run demo -- …` was asked for. */
export interface DemoOptions {
  readonly dir: string;
  readonly mode:
    | { readonly kind: 'chat' }
    | { readonly kind: 'tour' }
    | { readonly kind: 'script'; readonly file: string };
  readonly reset: boolean;
  readonly timing: boolean;
  readonly noColour: boolean;
  /** Never a real model, whatever the environment says. */
  readonly offline: boolean;
  /** Undefined: whatever this machine allows. */
  readonly form: 'namespaces' | 'state' | undefined;
  readonly homeserver: { readonly url: string; readonly user: string } | undefined;
}

export const USAGE = `npm run demo -- [options]
  --tour                 plays the five best moments, with captions
  --script FILE          plays a conversation and ends
  --timing               says how long the first answer took (with --script)
  --dir FOLDER           where the demo keeps its data (.oikos/demo)
  --reset                begins anew
  --homeserver URL --user @me:example.org
                         uses a homeserver of your own; MATRIX_ACCESS_TOKEN is the bot's token
  --lab namespaces|state how the lab's hosts answer (default: what this machine allows)
  --offline              never a real model, even with OPENAI_API_KEY set
  --no-color             no colours (NO_COLOR does the same)`;

export type ReadOptions =
  | { readonly ok: true; readonly options: DemoOptions }
  | { readonly ok: false; readonly complaint: string };

export function readOptions(argv: readonly string[], root: string): ReadOptions {
  let values: Values;
  try {
    values = parseFlags(argv);
  } catch (error) {
    return { ok: false, complaint: error instanceof Error ? error.message : String(error) };
  }
  const complaint = complaintAbout(values);
  return complaint === undefined
    ? { ok: true, options: optionsFrom(values, root) }
    : { ok: false, complaint };
}

function complaintAbout(values: Values): string | undefined {
  const { homeserver, user, tour, script, lab } = values;
  const rules: readonly (readonly [boolean, string])[] = [
    [values.help === true, USAGE],
    [tour === true && script !== undefined, '--tour and --script exclude each other'],
    [
      (homeserver === undefined) !== (user === undefined),
      '--homeserver URL and --user @me:example.org belong together',
    ],
    [
      homeserver !== undefined && !/^https?:\/\/[^/\s]+/.test(homeserver),
      `--homeserver ${homeserver}: it must begin with http:// or https://`,
    ],
    [
      user !== undefined && !/^@[^:\s]+:\S+$/.test(user),
      `--user ${user}: a Matrix id looks like @name:server`,
    ],
    [
      homeserver !== undefined && (tour === true || script !== undefined),
      '--tour and --script are played by the lab’s own operator: leave --homeserver out',
    ],
    [
      lab !== undefined && lab !== 'namespaces' && lab !== 'state',
      `--lab ${lab}: there are namespaces and state`,
    ],
  ];
  return rules.find(([isWrong]) => isWrong)?.[1];
}

function optionsFrom(values: Values, root: string): DemoOptions {
  const { tour = false, script, homeserver, user, lab } = values;
  return {
    dir:
      values.dir === undefined
        ? resolve(root, '.oikos', tour ? 'tour' : 'demo')
        : resolve(values.dir),
    mode: modeOf(tour, script),
    // The tour is always the same one.
    reset: values.reset === true || tour,
    timing: values.timing === true,
    noColour: values['no-color'] === true,
    offline: values.offline === true || tour,
    form: lab === 'namespaces' || lab === 'state' ? lab : undefined,
    homeserver:
      homeserver === undefined || user === undefined ? undefined : { url: homeserver, user },
  };
}

function modeOf(tour: boolean, script: string | undefined): DemoOptions['mode'] {
  if (tour) return { kind: 'tour' };
  return script === undefined ? { kind: 'chat' } : { kind: 'script', file: script };
}

type Values = ReturnType<typeof parseFlags>;

function parseFlags(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      script: { type: 'string' },
      tour: { type: 'boolean' },
      timing: { type: 'boolean' },
      reset: { type: 'boolean' },
      offline: { type: 'boolean' },
      'no-color': { type: 'boolean' },
      lab: { type: 'string' },
      homeserver: { type: 'string' },
      user: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}
