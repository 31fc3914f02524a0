import { rule, type ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';
import { lastLines } from './figures.ts';
import { closes, lastRun, runs, unsettled, why } from './steps.ts';
import { type Change, type Request, understand } from './understand.ts';

/** A change in one command, with the look that tells whether it worked. */
export interface Recipe {
  readonly target: string;
  readonly command: string;
  readonly purpose: string;
  readonly check: string;
  readonly checkPurpose: string;
  /** What is said to a no. */
  readonly left: string;
  /** What the check showed, in one word. */
  found(check: Run): string;
  readonly wanted: string;
  readonly done: string;
  readonly object: string;
}

/** Undefined for a destruction, which has steps of its own. */
export function recipeOf(change: Change): Recipe | undefined {
  switch (change.kind) {
    case 'service':
      return serviceRecipe(change);
    case 'guest':
      return guestRecipe(change);
    case 'install':
      return installRecipe(change);
    case 'remove':
      return removeRecipe(change);
    case 'destroy':
      return undefined;
  }
}

/** Proposes the change, then checks it, then tells how it went and closes the task. */
export function follow(view: View, recipe: Recipe): ScriptedReply {
  const { target, command, purpose, check, checkPurpose, left } = recipe;
  const change = lastRun(view, command, target);
  if (!change) return runs(target, command, purpose);
  const open = unsettled(view, change, left);
  if (open) return open;
  const looked = lastRun(view, check, target);
  if (!looked) return runs(target, check, checkPurpose);
  return (
    unsettled(view, looked, 'I did not check the result.') ?? judge(view, recipe, change, looked)
  );
}

function judge(view: View, recipe: Recipe, change: Run, check: Run): ScriptedReply {
  const found = recipe.found(check);
  if (change.state === 'failed') {
    const text = `${recipe.command} failed on ${recipe.target} (${why(change)}); ${recipe.object} is now ${found}.`;
    return closes(view, 'failure', text);
  }
  return found === recipe.wanted
    ? closes(view, 'success', recipe.done)
    : closes(
        view,
        'failure',
        `${recipe.command} ended well on ${recipe.target}, but ${recipe.object} is now ${found}.`,
      );
}

/** What a plan's step did, in a few words. */
export function resultOf(recipe: Recipe, change: Run, check: Run | undefined): string {
  if (change.state !== 'completed') return `${recipe.command} on ${recipe.target}: ${change.state}`;
  return check === undefined || recipe.found(check) === recipe.wanted
    ? recipe.done
    : `${recipe.object} is now ${recipe.found(check)}.`;
}

const word = (run: Run): string => lastLines(run.output, 1)[0]?.trim() ?? 'unknown';

function serviceRecipe({ verb, unit, target }: Extract<Change, { kind: 'service' }>): Recipe {
  const stops = verb === 'stop';
  const again = verb === 'restart' || verb === 'reload' ? ' again' : '';
  return {
    target,
    command: `systemctl ${verb} ${unit}`,
    purpose: `${verb[0]?.toUpperCase()}${verb.slice(1)} ${unit} as asked`,
    check: `systemctl is-active ${unit}`,
    checkPurpose: stops ? `Check that ${unit} has stopped` : `Check that ${unit} is back`,
    left: `${unit} on ${target} is left alone.`,
    found: word,
    wanted: stops ? 'inactive' : 'active',
    done: stops ? `${unit} is stopped on ${target}.` : `${unit} is active${again} on ${target}.`,
    object: unit,
  };
}

function guestRecipe({ verb, guest, host }: Extract<Change, { kind: 'guest' }>): Recipe {
  const { vmid, slug } = guest;
  const wanted = verb === 'stop' ? 'stopped' : 'running';
  return {
    target: host,
    command: `pct ${verb === 'stop' ? 'shutdown' : verb} ${vmid}`,
    purpose: `${verb[0]?.toUpperCase()}${verb.slice(1)} ${slug} (${vmid}) as asked`,
    check: `pct status ${vmid}`,
    checkPurpose: `Check that ${vmid} is ${wanted}`,
    left: `Container ${vmid} is left alone.`,
    found: (run) => /status: (\w+)/.exec(run.output)?.[1] ?? 'unknown',
    wanted,
    done: `${slug} (${vmid}) is ${wanted}${verb === 'reboot' ? ' again' : ''}.`,
    object: slug,
  };
}

function installRecipe({ name, target }: Extract<Change, { kind: 'install' }>): Recipe {
  return {
    target,
    command: `apt-get install -y ${name}`,
    purpose: `Install ${name} as asked`,
    check: `command -v ${name}`,
    checkPurpose: `Check that ${name} is there`,
    left: `${name} is not installed on ${target}.`,
    found: (run) => (run.state === 'completed' ? 'there' : 'not there'),
    wanted: 'there',
    done: `${name} is installed on ${target}.`,
    object: name,
  };
}

function removeRecipe({ path, target }: Extract<Change, { kind: 'remove' }>): Recipe {
  return {
    target,
    command: `rm ${path}`,
    purpose: `Delete ${path} as asked`,
    check: `ls ${path}`,
    checkPurpose: `Check that ${path} is gone`,
    left: `${path} on ${target} is left alone.`,
    found: (run) => (run.state === 'completed' ? 'still there' : 'gone'),
    wanted: 'gone',
    done: `${path} is deleted on ${target}.`,
    object: path,
  };
}

/** Runs the command that the operator wrote, and repeats the end of what it printed. */
export function runExactly(
  view: View,
  { command, target }: Extract<Request, { kind: 'exact' }>,
): ScriptedReply {
  const run = lastRun(view, command, target);
  if (!run) return runs(target, command, 'Run the command exactly as asked');
  const open = unsettled(view, run, 'Nothing was run.');
  if (open) return open;
  if (run.state === 'failed') return { text: `It failed on ${target} (${why(run)}).` };
  const tail = lastLines(run.output, 8).join('\n');
  return {
    text: `It ran on ${target}, exit ${run.exitCode ?? 0}.${tail === '' ? ' It printed nothing.' : `\n${tail}`}`,
  };
}

/** `run COMMAND on TARGET` alone, for scenarios that need nothing else. */
export const exactCommand = rule({
  name: 'exact command',
  when({ words }) {
    const request = understand(words);
    return request?.kind === 'exact' ? request : undefined;
  },
  reply: (view, request) => runExactly(view, request),
});
