import {
  asked,
  type Rule,
  rule,
  type Scenario,
  type ScriptedReply,
  toolAnswered,
  userSays,
} from '../scenario.ts';
import type { View } from '../view.ts';
import { follow, recipeOf, runExactly } from './change.ts';
import { destroyGuest } from './destroy.ts';
import {
  CONTAINER_LIST,
  DISKS,
  DOCKER,
  FAILED,
  inspect,
  LOAD,
  logsOf,
  MEMORY,
  SERVICES,
  tellStatus,
  tellVersion,
} from './inspect.ts';
import { aboutNote } from './older.ts';
import { proceed, tellPlan } from './plan.ts';
import { type Request, understand } from './understand.ts';

const HELP = `I am the demo’s offline model: a script, no AI. Say it in your own words; for example:
- how full are the disks?
- is everything ok?
- what runs on the lab?
- how is nginx doing on lxc:web?
- read the logs of nginx on lxc:web
- why did backup-mirror fail?
- which version of curl is on lxc:web?
- restart nginx on lxc:web
- stop dnsmasq
- start container 140
- install htop on lxc:web
- destroy container 135
- run uptime on host:lab
And in two steps: plan restarting nginx on web and dnsmasq on dns, then proceed.
Or for good: reload nginx on web, then always allow with its number, then reload nginx on web again.
For everything else connect a real model: OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL in the environment of npm run demo.`;

const NOT_UNDERSTOOD =
  'I do not understand this, and nothing was done: I am the demo’s offline model, a script that knows some everyday requests. Say help for examples. For a real model start the demo with OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL in the environment.';

/** A closed task says nothing more; one that could not be closed keeps what was said. */
const afterClosing = rule({
  name: 'after closing',
  when: toolAnswered('complete_task', /^/),
  reply: ({ said }) => ({ text: said === '' ? 'Done.' : said }),
});

/** Without tools only words are wanted, as at the limit of a turn. */
const wordsOnly = rule({
  name: 'words only',
  when: ({ tools }) => (tools.size === 0 ? true : undefined),
  reply: ({ runs: all }) => {
    const last = all.at(-1);
    return {
      text: last
        ? `The last command was ${last.command} on ${last.target}: ${last.state}. I did not go further.`
        : 'Nothing was run.',
    };
  },
});

/** Passes the question to one tool of Oikos itself and repeats its answer. */
function lookUp(name: string, pattern: RegExp, tool: string): Rule {
  return rule({
    name,
    when: asked(pattern),
    reply(view, match) {
      const answer = view.answers.findLast((candidate) => candidate.name === tool);
      if (answer) return { text: answer.text };
      return { calls: [{ name: tool, args: firstArgument(view, tool, match[1]) }] };
    },
  });
}

function firstArgument(view: View, tool: string, value: string | undefined) {
  const argument = view.tools.get(tool);
  return argument === undefined || value === undefined ? {} : { [argument]: value };
}

const understood = rule({
  name: 'understood',
  when(view) {
    const about = aboutNote(view);
    const request = understand(about.words);
    return request && { about, request };
  },
  reply: (_view, { about, request }) => carryOut(about, request),
});

function carryOut(view: View, request: Request): ScriptedReply {
  switch (request.kind) {
    case 'exact':
      return runExactly(view, request);
    case 'destroy':
      return destroyGuest(view, request);
    case 'service':
    case 'guest':
    case 'install':
    case 'remove': {
      const recipe = recipeOf(request);
      return recipe ? follow(view, recipe) : { text: NOT_UNDERSTOOD };
    }
    case 'plan':
      return tellPlan(request.steps);
    case 'proceed':
      return proceed(view);
    case 'which':
      return { text: `Which ${request.unit} is meant: on ${request.places.join(' or on ')}?` };
    default:
      return lookAt(view, request);
  }
}

type Look = Exclude<
  Request,
  {
    kind:
      | 'exact'
      | 'destroy'
      | 'service'
      | 'guest'
      | 'install'
      | 'remove'
      | 'plan'
      | 'proceed'
      | 'which';
  }
>;

function lookAt(view: View, request: Look): ScriptedReply {
  switch (request.kind) {
    case 'disks':
      return inspect(view, request.targets, DISKS);
    case 'memory':
      return inspect(view, request.targets, MEMORY);
    case 'load':
      return inspect(view, request.targets, LOAD);
    case 'failed':
      return inspect(view, request.targets, FAILED);
    case 'containers':
      return inspect(view, [request.target], CONTAINER_LIST);
    case 'services':
      return inspect(view, [request.target], SERVICES);
    case 'docker':
      return inspect(view, [request.target], DOCKER);
    case 'logs':
      return inspect(view, [request.target], logsOf(request.unit));
    case 'status':
      return tellStatus(view, request.unit, request.target);
    case 'version':
      return tellVersion(view, request.program, request.target);
  }
}

export const demoScenario: Scenario = [
  afterClosing,
  wordsOnly,
  lookUp('execution', /\bstatus of #?(\d+)/i, 'get_execution_status'),
  lookUp('activity', /\bwhat (?:have you done|did you do|are you doing)\b/i, 'get_agent_activity'),
  lookUp('entity', /\b(?:tell me about|details of) ((?:host|lxc|vm):[\w.@:-]*\w)/i, 'get_entity'),
  lookUp('entities', /\b(?:list|show)\b.*\b(?:targets|entities|fleet)\b/i, 'list_entities'),
  understood,
  rule({
    name: 'help',
    when: userSays(/^(?:help|hello|hi|hey|what can you do|what do you understand)\b/i),
    reply: () => ({ text: HELP }),
  }),
  rule({
    name: 'not understood',
    when: ({ words }) => words,
    reply: () => ({ text: NOT_UNDERSTOOD }),
  }),
];
