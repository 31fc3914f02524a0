import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  low,
  type Match,
  matchUse,
  operandsOf,
  type Program,
  type Rule,
  reads,
  theTarget,
} from '../rule.ts';
import { canBeSecret } from '../secrets.ts';
import { literal } from '../value.ts';
import { openContainer } from '../wrappers/guests.ts';
import { EXEC_FLAGS, EXEC_VALUES, logs, stats } from './docker.ts';

const ANY = { anyOption: true } as const;

const COMPOSE_GLOBALS = {
  shortValue: 'fp',
  longValue: ['file', 'project-name', 'project-directory', 'profile', 'ansi', 'env-file'],
};

const COMPOSE_LOOKS: readonly (readonly [string, string])[] = [
  ['ps', 'lists containers of a stack'],
  ['ls', 'lists stacks'],
  ['images', 'lists images of a stack'],
  ['top', 'lists processes of a stack'],
  ['version', 'shows the version'],
  ['port', 'shows a published port'],
];

/** Resolved settings hold the passwords; names, images and volumes do not. */
function composeConfig(call: Call): Match {
  const only = hasWord(/^(--services|-q|--quiet|--volumes|--images|--profiles)$/)(call);
  return matchUse(
    {
      short: 'q',
      long: ['services', 'quiet', 'volumes', 'images', 'profiles'],
      check: () => (only ? undefined : 'it prints resolved secrets'),
    },
    call,
  );
}

function composeRules(): readonly Rule[] {
  const shown = 'docker-compose';
  return [
    ...COMPOSE_LOOKS.map(([name, why]) =>
      reads(name, why, ANY, [`${shown} ${name}`], [`${shown} up`]),
    ),
    checked(
      'logs',
      'shows the output of a stack',
      logs,
      [`${shown} logs --tail=100`],
      [`${shown} up`],
    ),
    checked(
      'stats',
      'shows the load of a stack',
      stats,
      [`${shown} stats --no-stream`],
      [`${shown} up`],
    ),
    checked(
      'config',
      'checks a stack file',
      composeConfig,
      [`${shown} config --services`],
      [`${shown} config`],
    ),
    destroys(
      'config',
      'prints every variable, some of which can be secrets',
      [`${shown} config --environment`],
      [`${shown} config --services`],
      { if: hasWord(/^--env/), flags: ['secret'], objects: theTarget },
    ),
    checked(
      'exec',
      'runs a command in a container',
      openContainer(EXEC_FLAGS, EXEC_VALUES),
      [`${shown} exec -T web ls`],
      [`${shown} exec -e A=b web ls`],
    ),
    low(
      'pull',
      'downloads images',
      /^([\w][\w-]*( |$))*$/,
      [`${shown} pull`],
      [`${shown} pull --include-deps -x`],
    ),
    destroys('rm', 'deletes containers of a stack', [`${shown} rm -f`], [`${shown} ps`], {
      objects: operandsOf,
    }),
    destroys(
      'down',
      'deletes volumes or images of a stack',
      [`${shown} down -v`],
      [`${shown} down`],
      { if: hasWord(/^(-v|--volumes|--rmi)/), objects: theTarget },
    ),
    ...['up', 'down', 'start', 'stop', 'restart', 'build', 'kill'].map((name) =>
      changes(name, 'changes a running stack', [`${shown} ${name}`], [`${shown} ps`]),
    ),
  ];
}

const isRemoteFile = (call: Call): boolean =>
  hasWord(/:\/\/|^(oci|git|https?):|^git@|\.git(#|$)|^--(file|env-file)=(-$|.*:)|^-$/)(call);

/** What is no stack file is quoted in the error: `--env-file /etc/shadow`. */
function quotesSecret(call: Call): boolean {
  return call.args.some((arg, i) => {
    const attached = /^(?:--(?:env-)?file=|-f)(.+)$/s.exec(arg.text ?? '')?.[1];
    const follows = /^(-f|--file|--env-file)$/.test(call.args[i - 1]?.text ?? '');
    const file = attached === undefined ? arg : literal(attached);
    const usual = /\.(env|ya?ml)$|\/?\.env[\w.]*$/.test(file.text ?? '');
    return (attached !== undefined || follows) && !usual && canBeSecret(file, call.directories);
  });
}

const quoted: Rule = destroys(
  '',
  'reads a file that can hold a secret',
  ['docker-compose --env-file /etc/shadow ps'],
  ['docker-compose --env-file prod.env ps'],
  { if: quotesSecret, flags: ['secret'] },
);

const remote: Rule = changes(
  '',
  'takes a stack file from elsewhere',
  ['docker-compose -f http://x/y ps'],
  ['docker-compose ps'],
  { if: isRemoteFile, flags: ['egress', 'opaque'] },
);

const dockerCompose: Program = {
  names: ['docker-compose', 'podman-compose'],
  globals: COMPOSE_GLOBALS,
  operands: 'named',
  launches: true,
  rules: [...composeRules(), remote, quoted],
};

export const COMPOSE: readonly Program[] = [dockerCompose];
