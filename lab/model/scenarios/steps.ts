import type { ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';

/** Asks for one command. */
export function runs(target: string, command: string, purpose: string): ScriptedReply {
  return { calls: [{ name: 'run', args: { target, command, purpose } }] };
}

export type Outcome = 'success' | 'partial' | 'failure';

/** The last words of a task that changed something; closes it where the tool is offered. */
export function closes(view: View, outcome: Outcome, text: string): ScriptedReply {
  if (!view.tools.has('complete_task')) return { text };
  return { text, calls: [{ name: 'complete_task', args: { outcome, summary: text } }] };
}

/** The last run since the operator spoke whose command is exactly this one, on this target. */
export function lastRun(view: View, command: string, target?: string): Run | undefined {
  return view.runs.findLast(
    (run) => run.command === command && (target === undefined || run.target === target),
  );
}

/**
 * What is to be said while a run has not completed, whatever it was for: it waits, it goes on, or
 * it was stopped before it did anything. Undefined for `completed` and `failed`, which each step
 * judges itself.
 */
export function unsettled(view: View, run: Run, left: string): ScriptedReply | undefined {
  const name = `${run.number === undefined ? 'The command' : `#${run.number}`} (${run.command} on ${run.target})`;
  switch (run.state) {
    case 'completed':
    case 'failed':
      return undefined;
    case 'waiting':
      return { text: `${name} waits for your decision.` };
    case 'running':
      return { text: `${name} is still running. I come back when it has ended.` };
    case 'denied':
      return closes(view, 'failure', `Understood. ${left}`);
    case 'expired':
    case 'cancelled':
      return closes(view, 'failure', `${name} was not run. ${left}`);
    case 'refused':
      return closes(view, 'failure', `${name} was refused: ${reasonIn(run.headline)} ${left}`);
    case 'lost':
      return closes(
        view,
        'failure',
        `I do not know how ${name} ended: the connection was lost. I did not check further.`,
      );
  }
}

/** What refused it, without the words that say so again. */
function reasonIn(headline: string): string {
  const reason = headline.replace(/^refused,? nothing ran: /i, '');
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}

/** Exit code and last line, as far as they are known: how a failure is told. */
export function why(run: Run): string {
  const code = run.exitCode === undefined ? 'no exit code' : `exit ${run.exitCode}`;
  const line = run.output.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? code : `${code}: ${line}`;
}
