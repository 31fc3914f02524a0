import { asked, type Rule, rule, type ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';
import { disksIn, guestsIn, lastLines } from './figures.ts';
import { lastRun, runs, TARGET, unsettled, why } from './steps.ts';

/** Runs one inspection, then answers from its output. */
function inspection(look: {
  readonly view: View;
  readonly target: string;
  readonly command: string;
  readonly purpose: string;
  tell(run: Run): string;
}): ScriptedReply {
  const { view, target, command } = look;
  const run = lastRun(view, command);
  if (!run) return runs(target, command, look.purpose);
  const open = unsettled(view, run, 'Nothing was looked at.');
  if (open) return open;
  if (run.state === 'failed') return { text: `${command} failed on ${target} (${why(run)}).` };
  return { text: look.tell(run) };
}

const disks = rule({
  name: 'disks',
  when: asked(/\b(?:how full|disk space|disks?)\b/i),
  reply(view) {
    const target = /\b(?:host|lxc|vm):[\w.@:-]*\w/.exec(view.words)?.[0] ?? 'host:lab';
    return inspection({
      view,
      target,
      command: 'df -h',
      purpose: 'See how full the file systems are',
      tell({ output }) {
        const [fullest, ...others] = disksIn(output);
        if (!fullest) return `df -h on ${target} listed no file system that I can read.`;
        const { mount, percent, used, size, free } = fullest;
        const rest = others.map((disk) => `${disk.mount} ${disk.percent} %`).join(', ');
        return `The fullest on ${target} is ${mount}: ${percent} % (${used} of ${size} used, ${free} free).${rest === '' ? '' : ` The others: ${rest}.`}`;
      },
    });
  },
});

const guests = rule({
  name: 'guests',
  when: asked(
    /\bwhat(?:'s| is| else)? (?:runs|running|is running)\b.*\blab\b|\blist (?:the )?containers\b/i,
  ),
  reply: (view) =>
    inspection({
      view,
      target: 'host:lab',
      command: 'pct list',
      purpose: 'See the containers and their state',
      tell({ output }) {
        const all = guestsIn(output);
        if (all.length === 0)
          return 'host:lab has no containers. I did not look for virtual machines.';
        const list = all.map(({ vmid, name, status }) => `${vmid} ${name} ${status}`).join(', ');
        const running = all.filter(({ status }) => status === 'running').length;
        return `${running} of ${all.length} containers on host:lab are running: ${list}. I did not look at virtual machines.`;
      },
    }),
});

const logs = rule({
  name: 'logs',
  when: asked(new RegExp(`\\blogs? (?:of|for|from) ([\\w@.-]+) on ${TARGET}`, 'i')),
  reply(view, [, unit = '', target = '']) {
    return inspection({
      view,
      target,
      command: `journalctl -u ${unit} -n 50 --no-pager`,
      purpose: `Read the last log lines of ${unit}`,
      tell({ output }) {
        const lines = lastLines(output, 50);
        if (lines.length === 0) return `The journal of ${target} has no lines for ${unit}.`;
        const errors = lines.filter((line) =>
          /\b(?:error|fail(?:ed|ure)?|crit|emerg)\b/i.test(line),
        );
        const last = lines.slice(-3).join('\n');
        return `${lines.length} lines for ${unit} on ${target}, ${errors.length} of them with errors. The last:\n${last}`;
      },
    });
  },
});

const version = rule({
  name: 'version',
  when: asked(new RegExp(`\\bwhich version of ([\\w.+-]+) is on ${TARGET}`, 'i')),
  reply(view, [, program = '', target = '']) {
    const first = lastRun(view, `${program} --version`);
    if (!first) return runs(target, `${program} --version`, `Ask ${program} for its version`);
    const open = unsettled(view, first, 'Nothing was looked at.');
    if (open) return open;
    if (first.state === 'completed') {
      return { text: `${program} on ${target}: ${lastLines(first.output, 50)[0] ?? 'no output'}` };
    }
    return locate(view, program, target, first);
  },
});

/** The second way to look, after a program did not tell its version. */
function locate(view: View, program: string, target: string, first: Run): ScriptedReply {
  const second = lastRun(view, `command -v ${program}`);
  if (!second)
    return runs(target, `command -v ${program}`, `See whether ${program} is there at all`);
  const open = unsettled(view, second, 'Nothing more was looked at.');
  if (open) return open;
  const place = lastLines(second.output, 1)[0];
  const text =
    second.state === 'completed' && place !== undefined
      ? `${program} is on ${target} at ${place}, but it does not tell its version (${why(first)}).`
      : `${program} is not on the path of ${target}: asking it failed (${why(first)}), and the shell does not find it either. I did not search other folders.`;
  return { text };
}

export const inspectRules: readonly Rule[] = [logs, version, disks, guests];
