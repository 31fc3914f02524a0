import { asked, type Rule, rule, type Scenario, toolAnswered, userSays } from '../scenario.ts';
import type { View } from '../view.ts';
import { changeRules } from './change.ts';
import { inspectRules } from './inspect.ts';

const HELP = `This is a scripted model for trying Oikos out. It understands:
- how full are the disks on host:lab?
- what runs on the lab?
- read the logs of nginx on lxc:web
- which version of curl is on lxc:web?
- restart nginx on lxc:web
- install htop on lxc:web
- destroy container 135
- run uptime on host:lab
Connect a real model for everything else.`;

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
  reply: ({ runs }) => {
    const last = runs.at(-1);
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

export const demoScenario: Scenario = [
  afterClosing,
  wordsOnly,
  ...changeRules,
  ...inspectRules,
  lookUp('execution', /\bstatus of #?(\d+)/i, 'get_execution_status'),
  lookUp('activity', /\bwhat (?:have you done|did you do|are you doing)\b/i, 'get_agent_activity'),
  lookUp('entity', /\b(?:tell me about|details of) ((?:host|lxc|vm):[\w.@:-]*\w)/i, 'get_entity'),
  lookUp('entities', /\b(?:list|show)\b.*\b(?:targets|entities|fleet)\b/i, 'list_entities'),
  rule({
    name: 'help',
    when: userSays(/^(?:help|hello|hi|what can you do)\b/i),
    reply: () => ({ text: HELP }),
  }),
  rule({
    name: 'not understood',
    when: ({ words }) => words,
    reply: () => ({
      text: 'I do not understand this: I am a scripted model and know a few requests only. Say "help" for the list. Nothing was done.',
    }),
  }),
];
