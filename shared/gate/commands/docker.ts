import {
  type Call,
  changes,
  checked,
  destroys,
  firstOperand,
  hasWord,
  low,
  type Match,
  operandsOf,
  type Program,
  type Rule,
  reads,
  theTarget,
} from '../rule.ts';
import { literal } from '../value.ts';
import { openContainer } from '../wrappers/guests.ts';
import { asksOddRegistry, copiesSecret, inspect, tops } from './docker-questions.ts';

/** Options of `exec` that change nothing, and those with a value. */
export const EXEC_FLAGS = ['-i', '-t', '-it', '-ti', '--interactive', '--tty', '-T', '--no-TTY'];
export const EXEC_VALUES = ['-u', '--user', '-w', '--workdir', '--index', '-c', '--container'];

// Options of the looking commands only choose and format what is shown.
const ANY = { anyOption: true } as const;

function looks(verb: string, why: string): Rule {
  return reads(verb, why, ANY, [`docker ${verb}`], [`docker -H other ${verb}`]);
}

const LOOKS: readonly (readonly [string, string])[] = [
  ['ps', 'lists containers'],
  ['images', 'lists images'],
  ['port', 'shows published ports'],
  ['diff', 'shows changed files of a container'],
  ['history', 'shows how an image was made'],
  ['version', 'shows versions'],
  ['info', 'shows facts about Docker'],
  ['system df', 'shows how much space Docker uses'],
  ['system info', 'shows facts about Docker'],
  ['network ls', 'lists networks'],
  ['network list', 'lists networks'],
  ['network inspect', 'describes a network'],
  ['volume ls', 'lists volumes'],
  ['volume list', 'lists volumes'],
  ['volume inspect', 'describes a volume'],
  ['image ls', 'lists images'],
  ['image list', 'lists images'],
  ['image history', 'shows how an image was made'],
  ['container ls', 'lists containers'],
  ['container ps', 'lists containers'],
  ['container list', 'lists containers'],
  ['container port', 'shows published ports'],
  ['container diff', 'shows changed files of a container'],
  ['context ls', 'lists contexts'],
  ['context show', 'shows the context'],
  ['node ls', 'lists swarm nodes'],
  ['node ps', 'lists tasks of a swarm node'],
  ['service ls', 'lists services'],
  ['service ps', 'lists tasks of a service'],
  ['stack ls', 'lists stacks'],
  ['stack ps', 'lists tasks of a stack'],
  ['stack services', 'lists services of a stack'],
  ['plugin ls', 'lists plugins'],
  ['pod ls', 'lists pods'],
  ['pod ps', 'lists pods'],
  ['container exists', 'tells whether a container exists'],
  ['buildx ls', 'lists builders'],
  ['buildx du', 'shows how much space builds use'],
];

/** Shows what a container wrote; `-f` goes on for ever. */
export function logs(call: Call): Match {
  const follows = hasWord(/^-[a-zA-Z]*f|^--follow(?!=(0|f|F|false|False|FALSE)$)/)(call);
  return { matches: true, flags: follows ? ['outside_text', 'unbounded'] : ['outside_text'] };
}

/** Shows the load; without --no-stream for ever. */
export function stats(call: Call): Match {
  const bounded = hasWord(/^--no-stream(=true)?$/)(call) && !hasWord(/^--no-stream=[^t]/)(call);
  return bounded ? { matches: true } : { matches: true, flags: ['unbounded'] };
}

function events(call: Call): Match {
  return hasWord(/^--until/)(call) ? { matches: true } : { matches: true, flags: ['unbounded'] };
}

const LOGS = (verb: string): Rule => ({
  ...checked(
    verb,
    'shows the output of a container',
    logs,
    [`docker ${verb} --tail 50 web`],
    [`docker -H x ${verb} web`],
  ),
  safer: `docker ${verb} --tail 200 NAME`,
});
const STATS = (verb: string): Rule => ({
  ...checked(
    verb,
    'shows the load of containers',
    stats,
    [`docker ${verb} --no-stream`],
    [`docker -c x ${verb}`],
  ),
  safer: `docker ${verb} --no-stream`,
});
const INSPECT = (verb: string): Rule =>
  checked(
    verb,
    'describes a container',
    inspect,
    [`docker ${verb} web`],
    [`docker ${verb} -f {{.Config.Env}} web`],
  );

/** `docker compose …` is judged as `docker-compose …`. */
function openCompose(call: Call): Match {
  const argv = [literal('docker-compose'), ...call.args];
  return { matches: true, opens: [{ kind: 'argv', argv }] };
}

const REMOVED = [
  'volume',
  'network',
  'image',
  'container',
  'service',
  'stack',
  'secret',
  'config',
  'node',
  'plugin',
  'context',
  'buildx',
  'builder',
];
const WHAT: Readonly<Record<string, string>> = {
  volume: 'a volume and its data',
  image: 'an image',
  container: 'a container and its data',
};

const removals: readonly Rule[] = REMOVED.flatMap((kind) => [
  ...['rm', 'remove'].map((verb) =>
    destroys(
      `${kind} ${verb}`,
      `deletes ${WHAT[kind] ?? `a ${kind}`}`,
      [`docker ${kind} ${verb} x`],
      ['docker ps'],
      { objects: operandsOf },
    ),
  ),
  destroys(
    `${kind} prune`,
    `deletes every ${kind} not in use`,
    [`docker ${kind} prune -f`],
    ['docker ps'],
    { objects: theTarget },
  ),
]);

const docker: Program = {
  names: ['docker', 'podman'],
  globals: {},
  operands: 'named',
  launches: true,
  rules: [
    reads(
      '',
      'shows the version',
      { long: ['version'], short: 'v', operands: 0 },
      ['docker --version'],
      ['docker ps'],
    ),
    ...LOOKS.map(([verb, why]) => looks(verb, why)),
    ...['top', 'container top'].flatMap(tops),
    {
      ...reads(
        'search',
        'searches for images at a registry',
        { anyOption: true, staticOperands: true },
        ['docker search nginx'],
        ['docker -H other search x', 'docker search "$x"'],
      ),
      flags: ['egress', 'outside_text'],
    },
    reads(
      'manifest inspect',
      'describes an image',
      {
        anyOption: true,
        check: (_p, call) => (asksOddRegistry(call) ? 'it asks a host outside' : undefined),
      },
      ['docker manifest inspect alpine:3'],
      ['docker manifest inspect evil.example/x'],
    ),
    changes(
      'manifest inspect',
      'asks a host outside',
      ['docker manifest inspect evil.example/x'],
      ['docker manifest inspect ghcr.io/a/b'],
      { if: asksOddRegistry, flags: ['egress', 'outside_text'] },
    ),
    destroys(
      'cp',
      'prints a secret out of a container',
      ['docker cp web:/run/secrets/x -'],
      ['docker cp web:/srv/x -'],
      { if: copiesSecret, flags: ['secret'] },
    ),
    ...['logs', 'container logs', 'service logs'].map(LOGS),
    ...['stats', 'container stats'].map(STATS),
    ...['inspect', 'container inspect', 'image inspect', 'service inspect', 'node inspect'].map(
      INSPECT,
    ),
    {
      ...checked(
        'events',
        'shows what happens to containers',
        events,
        ['docker events --until 1s'],
        ['docker -H x events'],
      ),
      safer: 'docker events --since 1h --until now',
    },
    {
      ...checked(
        'system events',
        'shows what happens to containers',
        events,
        ['docker system events --until 1s'],
        ['docker -H x system events'],
      ),
      safer: 'docker events --since 1h --until now',
    },
    ...['exec', 'container exec'].map((verb) =>
      checked(
        verb,
        'runs a command in a container',
        openContainer(EXEC_FLAGS, EXEC_VALUES),
        [`docker ${verb} web df -h`],
        [`docker ${verb} -e A=b web ls`],
      ),
    ),
    checked('compose', 'works on a stack', openCompose, ['docker compose ps'], ['docker ps']),
    low(
      'pull',
      'downloads an image',
      /^[\w.]([\w./:@][\w./:@-]*)?$/,
      ['docker pull nginx:1'],
      ['docker pull -a nginx'],
    ),
    low(
      'image pull',
      'downloads an image',
      /^[\w.]([\w./:@][\w./:@-]*)?$/,
      ['docker image pull nginx:1'],
      ['docker image pull -a nginx'],
    ),
    destroys(
      'rm',
      'deletes a container and its data',
      ['docker rm -f web'],
      ['docker run --rm alpine ls'],
      { objects: operandsOf },
    ),
    destroys('rmi', 'deletes an image', ['docker rmi x'], ['docker ps'], { objects: operandsOf }),
    ...removals,
    destroys(
      'system prune',
      'deletes everything not in use',
      ['docker system prune -af'],
      ['docker system df'],
      { objects: theTarget },
    ),
    destroys(
      'system reset',
      'deletes everything',
      ['podman system reset -f'],
      ['docker system df'],
      { objects: theTarget },
    ),
    destroys(
      'swarm leave',
      'leaves the swarm by force',
      ['docker swarm leave --force'],
      ['docker swarm leave'],
      { if: hasWord(/^(-f|--force)/), objects: theTarget },
    ),
    changes('cp', 'copies files in or out of a container', ['docker cp a web:/b'], ['docker ps']),
    changes('run', 'starts a new container', ['docker run -d nginx'], ['docker ps'], {
      launches: true,
    }),
    ...['start', 'stop', 'restart', 'kill', 'pause', 'unpause'].map((verb) =>
      changes(verb, `${verb}s a container`, [`docker ${verb} web`], ['docker ps']),
    ),
  ],
};

export const DOCKER: readonly Program[] = [
  docker,
  {
    names: ['nerdctl'],
    operands: 'named',
    launches: true,
    rules: [
      reads('ps', 'lists containers', ANY, ['nerdctl ps'], ['nerdctl run x']),
      reads('images', 'lists images', ANY, ['nerdctl images'], ['nerdctl run x']),
      destroys('rm', 'deletes a container', ['nerdctl rm x'], ['nerdctl ps'], {
        objects: firstOperand,
      }),
    ],
  },
  {
    names: ['crictl'],
    operands: 'named',
    launches: true,
    rules: [
      ...[
        'ps',
        'images',
        'pods',
        'info',
        'version',
        'stats',
        'inspect',
        'inspecti',
        'inspectp',
      ].map((verb) =>
        reads(verb, 'lists containers', ANY, [`crictl ${verb}`], [`crictl --config x ${verb}`]),
      ),
      checked('logs', 'shows the output of a container', logs, ['crictl logs x'], ['crictl rm x']),
    ],
  },
];
