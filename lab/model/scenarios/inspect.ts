import type { ScriptedReply } from '../scenario.ts';
import type { Run, View } from '../view.ts';
import { disksIn, failedUnitsIn, guestsIn, lastLines, memoryIn } from './figures.ts';
import { lastRun, runs, unsettled, why } from './steps.ts';

interface Look {
  readonly command: string;
  readonly purpose: string;
  tell(run: Run): string;
}

/** Runs one inspection on each target, then answers from what came out. */
export function inspect(view: View, targets: readonly string[], look: Look): ScriptedReply {
  const { command, purpose } = look;
  const missing = targets.filter((target) => lastRun(view, command, target) === undefined);
  if (missing.length > 0) {
    return {
      calls: missing.map((target) => ({ name: 'run', args: { target, command, purpose } })),
    };
  }
  const texts: string[] = [];
  for (const target of targets) {
    const run = lastRun(view, command, target);
    if (run === undefined) continue;
    const open = unsettled(view, run, 'Nothing was looked at.');
    if (open) return open;
    texts.push(
      run.state === 'failed' ? `${command} failed on ${target} (${why(run)}).` : look.tell(run),
    );
  }
  return { text: texts.join('\n') };
}

export const DISKS: Look = {
  command: 'df -h',
  purpose: 'See how full the file systems are',
  tell({ output, target }) {
    const [fullest, ...others] = disksIn(output);
    if (!fullest) return `df -h on ${target} listed no file system that I can read.`;
    const { mount, percent, used, size, free } = fullest;
    const rest = others.map((disk) => `${disk.mount} ${disk.percent} %`).join(', ');
    const warning = percent >= 90 ? ' That is too full.' : '';
    return `The fullest on ${target} is ${mount}: ${percent} % (${used} of ${size} used, ${free} free).${warning}${rest === '' ? '' : ` The others: ${rest}.`}`;
  },
};

export const MEMORY: Look = {
  command: 'free -h',
  purpose: 'See how much memory is in use',
  tell({ output, target }) {
    const memory = memoryIn(output);
    return memory
      ? `${target} uses ${memory.used} of ${memory.total} memory; ${memory.available} are available.`
      : `free -h on ${target} printed nothing that I can read.`;
  },
};

export const LOAD: Look = {
  command: 'uptime',
  purpose: 'See load and uptime',
  tell: ({ output, target }) => `${target}: ${output.trim()}`,
};

/** systemctl exits 0 here whether units failed or not. */
export const FAILED: Look = {
  command: 'systemctl --failed --no-pager',
  purpose: 'See whether services have failed',
  tell({ output, target }) {
    const units = failedUnitsIn(output);
    return units.length === 0
      ? `No service has failed on ${target}.`
      : `Failed on ${target}: ${units.join(', ')}. Ask me for its logs to see why.`;
  },
};

export const CONTAINER_LIST: Look = {
  command: 'pct list',
  purpose: 'See the containers and their state',
  tell({ output, target }) {
    const all = guestsIn(output);
    if (all.length === 0)
      return `${target} has no containers. I did not look for virtual machines.`;
    const list = all.map(({ vmid, name, status }) => `${vmid} ${name} ${status}`).join(', ');
    const running = all.filter(({ status }) => status === 'running').length;
    return `${running} of ${all.length} containers on ${target} are running: ${list}. I did not look at virtual machines.`;
  },
};

export const SERVICES: Look = {
  command: 'systemctl list-units --type=service --no-pager',
  purpose: 'See which services run',
  tell({ output, target }) {
    const units = [...output.matchAll(/^[● ]*(\S+)\.service\s+loaded\s+(\S+)/gm)];
    const list = units.map(([, name, state]) => (state === 'active' ? name : `${name} (${state})`));
    return list.length === 0
      ? `systemctl on ${target} listed no service.`
      : `${list.length} services on ${target}: ${list.join(', ')}.`;
  },
};

export const DOCKER: Look = {
  command: 'docker ps',
  purpose: 'See the Docker containers',
  tell({ output, target }) {
    const lines = lastLines(output, 50).slice(1);
    return `${lines.length} Docker containers run on ${target}${lines.length === 0 ? '.' : `:\n${lines.join('\n')}`}`;
  },
};

export function logsOf(unit: string | undefined): Look {
  return {
    command: `journalctl ${unit === undefined ? '' : `-u ${unit} `}-n 50 --no-pager`,
    purpose: unit === undefined ? 'Read the last log lines' : `Read the last log lines of ${unit}`,
    tell({ output, target }) {
      const lines = lastLines(output, 50).filter((line) => !line.startsWith('-- '));
      const what = unit === undefined ? '' : ` for ${unit}`;
      if (lines.length === 0) return `The journal of ${target} has no lines${what}.`;
      const errors = lines.filter((line) =>
        /\b(?:error|fail(?:ed|ure)?|fatal|crit|emerg|refus\w*|timed out|no space)\b/i.test(line),
      );
      const shown = errors.length > 0 ? errors.slice(-4) : lines.slice(-3);
      const head = errors.length > 0 ? 'The last of these' : 'The last';
      return `${lines.length} lines${what} on ${target}, ${errors.length} of them about trouble. ${head}:\n${shown.join('\n')}`;
    },
  };
}

/** `systemctl status` exits 3 for a unit that is not active: no failure of the look itself. */
export function tellStatus(view: View, unit: string, target: string): ScriptedReply {
  const command = `systemctl status ${unit} --no-pager`;
  const run = lastRun(view, command, target);
  if (!run) return runs(target, command, `See how ${unit} is doing`);
  const open = unsettled(view, run, 'Nothing was looked at.');
  if (open) return open;
  const active = /^\s*Active: (.+)$/m.exec(run.output)?.[1];
  if (active === undefined) return { text: `${unit} on ${target} has no status (${why(run)}).` };
  const hint = active.startsWith('active') ? '' : ' Ask me for its logs, or to start it.';
  return { text: `${unit} on ${target}: ${active}.${hint}` };
}

/** Asks a program for its version; when it does not tell, looks whether it is there at all. */
export function tellVersion(view: View, program: string, target: string): ScriptedReply {
  const first = lastRun(view, `${program} --version`);
  if (!first) return runs(target, `${program} --version`, `Ask ${program} for its version`);
  const open = unsettled(view, first, 'Nothing was looked at.');
  if (open) return open;
  if (first.state === 'completed') {
    return { text: `${program} on ${target}: ${lastLines(first.output, 50)[0] ?? 'no output'}` };
  }
  return locate(view, program, target, first);
}

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
