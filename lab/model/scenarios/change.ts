import { asked, type Rule, rule, type ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';
import { guestsIn, lastLines } from './figures.ts';
import { closes, lastRun, runs, TARGET, unsettled, why } from './steps.ts';

const restart = rule({
  name: 'restart',
  when: asked(new RegExp(`\\brestart ([\\w@.-]+) on ${TARGET}`, 'i')),
  reply(view, [, unit = '', target = '']) {
    const change = lastRun(view, `systemctl restart ${unit}`);
    if (!change) return runs(target, `systemctl restart ${unit}`, `Restart ${unit} as asked`);
    const open = unsettled(view, change, `${unit} on ${target} is left alone.`);
    if (open) return open;
    const check = lastRun(view, `systemctl is-active ${unit}`);
    if (!check) return runs(target, `systemctl is-active ${unit}`, `Check that ${unit} is back`);
    return (
      unsettled(view, check, `I did not check whether ${unit} is back.`) ??
      tellRestart(view, { unit, target, change, check })
    );
  },
});

function tellRestart(
  view: View,
  { unit, target, change, check }: { unit: string; target: string; change: Run; check: Run },
): ScriptedReply {
  const state = lastLines(check.output, 1)[0]?.trim() ?? 'nothing';
  if (change.state === 'failed') {
    return closes(
      view,
      'failure',
      `The restart of ${unit} on ${target} failed (${why(change)}); it is now ${state}.`,
    );
  }
  return state === 'active'
    ? closes(view, 'success', `${unit} is active again on ${target}.`)
    : closes(view, 'failure', `${unit} on ${target} was restarted, but it is now ${state}.`);
}

const destroy = rule({
  name: 'destroy',
  when: asked(/\bdestroy (?:the )?(?:container|ct|lxc) (\d+)(?: on (host:[\w.-]*\w))?/i),
  reply(view, [, vmid = '', host = 'host:lab']) {
    const last = view.runs.at(-1);
    if (!last) return runs(host, `pct destroy ${vmid}`, `Destroy container ${vmid} as asked`);
    const open = unsettled(view, last, `Container ${vmid} is left alone.`);
    return open ?? nextOfDestroy(view, { vmid, host, last });
  },
});

interface Destroying {
  readonly vmid: string;
  readonly host: string;
  readonly last: Run;
}

/** A running container is stopped first, in a step of its own; then it is destroyed and looked for. */
function nextOfDestroy(view: View, { vmid, host, last }: Destroying): ScriptedReply {
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
      return tellDestroyed(view, { vmid, host, last });
  }
}

function tellDestroyed(view: View, { vmid, host, last }: Destroying): ScriptedReply {
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

const install = rule({
  name: 'install',
  when: asked(new RegExp(`\\binstall ([a-z0-9][a-z0-9.+-]*) on ${TARGET}`, 'i')),
  reply(view, [, name = '', target = '']) {
    const change = lastRun(view, `apt-get install -y ${name}`);
    if (!change) return runs(target, `apt-get install -y ${name}`, `Install ${name} as asked`);
    const open = unsettled(view, change, `${name} is not installed on ${target}.`);
    if (open) return open;
    if (change.state === 'failed') {
      return closes(view, 'failure', `${name} was not installed on ${target} (${why(change)}).`);
    }
    const check = lastRun(view, `command -v ${name}`);
    if (!check) return runs(target, `command -v ${name}`, `Check that ${name} is there`);
    const place = check.state === 'completed' ? lastLines(check.output, 1)[0] : undefined;
    return (
      unsettled(view, check, 'I did not check the result.') ??
      (place === undefined
        ? closes(view, 'partial', `apt-get ended well, but ${target} does not find ${name}.`)
        : closes(view, 'success', `${name} is installed on ${target}: ${place}.`))
    );
  },
});

export const exactCommand = rule({
  name: 'exact command',
  when: asked(new RegExp(`^(?:please )?run (\`?)(.+)\\1 on ${TARGET}[.!]?$`, 'is')),
  reply(view, [, , command = '', target = '']) {
    const run = lastRun(view, command);
    if (!run) return runs(target, command, 'Run the command exactly as asked');
    const open = unsettled(view, run, 'Nothing was run.');
    if (open) return open;
    if (run.state === 'failed') return { text: `It failed on ${target} (${why(run)}).` };
    const tail = lastLines(run.output, 8).join('\n');
    return {
      text: `It ran on ${target}, exit ${run.exitCode ?? 0}.${tail === '' ? ' It printed nothing.' : `\n${tail}`}`,
    };
  },
});

export const changeRules: readonly Rule[] = [exactCommand, restart, destroy, install];
