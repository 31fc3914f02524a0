import type { ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';
import { guestsIn } from './figures.ts';
import { closes, lastRun, runs, unsettled, why } from './steps.ts';

interface Destroying {
  readonly vmid: string;
  readonly host: string;
}

/** A running container is stopped first, in a step of its own; then it is destroyed and looked for. */
export function destroyGuest(view: View, what: Destroying): ScriptedReply {
  const { vmid, host } = what;
  const last = view.runs.at(-1);
  if (!last) return runs(host, `pct destroy ${vmid}`, `Destroy container ${vmid} as asked`);
  const open = unsettled(view, last, `Container ${vmid} is left alone.`);
  return open ?? nextStep(view, what, last);
}

function nextStep(view: View, { vmid, host }: Destroying, last: Run): ScriptedReply {
  const failed = last.state === 'failed';
  switch (last.command) {
    case `pct destroy ${vmid}`:
      if (!failed) return runs(host, 'pct list', `Check that container ${vmid} is gone`);
      return /is running/.test(last.output) && !lastRun(view, `pct stop ${vmid}`)
        ? runs(host, `pct stop ${vmid}`, `Container ${vmid} is running: stop it first`)
        : closes(view, 'failure', `Container ${vmid} was not destroyed (${why(last)}).`);
    case `pct stop ${vmid}`:
      return failed
        ? closes(view, 'failure', `Container ${vmid} could not be stopped (${why(last)}).`)
        : runs(host, `pct destroy ${vmid}`, `Destroy container ${vmid}, now that it is stopped`);
    default:
      return tellDestroyed(view, { vmid, host }, last);
  }
}

function tellDestroyed(view: View, { vmid, host }: Destroying, last: Run): ScriptedReply {
  if (last.state === 'failed') {
    const text = `Container ${vmid} was destroyed, but pct list failed (${why(last)}), so I could not check it.`;
    return closes(view, 'partial', text);
  }
  const left = guestsIn(last.output).find((guest) => guest.vmid === Number(vmid));
  return left
    ? closes(
        view,
        'failure',
        `pct destroy ended well, yet ${vmid} is still listed as ${left.status}.`,
      )
    : closes(
        view,
        'success',
        `Container ${vmid} is destroyed; pct list on ${host} no longer shows it.`,
      );
}
