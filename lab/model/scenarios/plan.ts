import type { ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';
import { type Recipe, recipeOf, resultOf } from './change.ts';
import { closes, lastRun, unsettled } from './steps.ts';
import { type Change, understandChange } from './understand.ts';

const HEAD = 'My plan, nothing has been run yet:';
const FOOT =
  'Say proceed and I propose these steps. That word approves nothing: each step gets its card.';

/** A plan is words only; the steps are read back from them when the operator says proceed. */
export function tellPlan(steps: readonly Change[]): ScriptedReply {
  const lines = steps.map((step, index) => `${index + 1}. ${sentenceOf(step)}`);
  return { text: [HEAD, ...lines, FOOT].join('\n') };
}

/** Proposes every step, each under a card of its own, then checks each and tells how all went. */
export function proceed(view: View): ScriptedReply {
  const recipes = lastPlan(view).flatMap((step) => recipeOf(step) ?? []);
  if (recipes.length === 0) {
    return { text: 'There is no plan to proceed with. Ask for one: plan restarting nginx on web.' };
  }
  const changes = recipes.map(({ command, target }) => lastRun(view, command, target));
  const missing = recipes.filter((_recipe, index) => changes[index] === undefined);
  if (missing.length > 0) return proposal(missing);
  return closing(
    view,
    recipes,
    changes.flatMap((run) => run ?? []),
  );
}

function proposal(recipes: readonly Recipe[]): ScriptedReply {
  return {
    calls: recipes.map(({ target, command, purpose }) => ({
      name: 'run',
      args: { target, command, purpose },
    })),
  };
}

function closing(view: View, recipes: readonly Recipe[], changes: readonly Run[]): ScriptedReply {
  const open = changes.filter(({ state }) => state === 'waiting' || state === 'running');
  const [first] = open;
  if (first) return unsettled(view, first, '') ?? { text: 'One step is still open.' };
  const unchecked = recipes.filter(
    ({ command, target, check }) =>
      lastRun(view, command, target)?.state === 'completed' && !lastRun(view, check, target),
  );
  if (unchecked.length > 0) {
    return {
      calls: unchecked.map(({ target, check, checkPurpose }) => ({
        name: 'run',
        args: { target, command: check, purpose: checkPurpose },
      })),
    };
  }
  const results = recipes.flatMap((recipe, index) => {
    const change = changes[index];
    return change ? [resultOf(recipe, change, lastRun(view, recipe.check, recipe.target))] : [];
  });
  const done = changes.every(({ state }) => state === 'completed');
  const lines = results.map((result, index) => `${index + 1}. ${result}`);
  return closes(view, done ? 'success' : 'partial', ['The plan is done:', ...lines].join('\n'));
}

function lastPlan(view: View): readonly Change[] {
  const told = view.messages.findLast(
    ({ role, content }) => role === 'assistant' && (content ?? '').includes(HEAD),
  );
  const lines = (told?.content ?? '').split('\n');
  return lines.flatMap((line) => {
    const step = /^\d+\. (.+)$/.exec(line)?.[1];
    return step === undefined ? [] : (understandChange(step) ?? []);
  });
}

function sentenceOf(step: Change): string {
  switch (step.kind) {
    case 'service':
      return `${step.verb} ${step.unit} on ${step.target}`;
    case 'guest':
      return `${step.verb} container ${step.guest.vmid}`;
    case 'install':
      return `install ${step.name} on ${step.target}`;
    case 'remove':
      return `delete ${step.path} on ${step.target}`;
    case 'destroy':
      return `destroy container ${step.vmid}`;
  }
}
