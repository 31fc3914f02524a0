/** `systemctl`: exit codes and texts as systemd 252 and later give them (3 = not active, 4 = no such unit). */
import { hostname } from 'node:os';
import { type Answer, printed, refused, SILENT } from './answer.ts';
import { formatEntry, selectEntries } from './journal.ts';
import { goDown } from './power.ts';
import {
  enableUnit,
  findUnit,
  knownUnits,
  readJournal,
  reloadUnit,
  resetFailed,
  startUnit,
  stopUnit,
} from './service.ts';
import { type GnuOptions, readGnuArguments } from './short-options.ts';
import {
  formatProperties,
  formatStatus,
  formatUnitFile,
  formatUnitList,
  type KnownUnit,
  missingUnitProperties,
  unitName,
  unitProperties,
} from './units.ts';

const flag = (name: string) => ({ name, value: false });
const value = (name: string) => ({ name, value: true });
const OPTIONS: GnuOptions = {
  '--no-pager': flag('no-pager'),
  '--failed': flag('failed'),
  '--all': flag('all'),
  '-a': flag('all'),
  '--full': flag('full'),
  '-l': flag('full'),
  '--quiet': flag('quiet'),
  '-q': flag('quiet'),
  '--value': flag('value'),
  '--now': flag('now'),
  '--plain': flag('plain'),
  '--no-legend': flag('no-legend'),
  '--no-block': flag('no-block'),
  '--type': value('type'),
  '-t': value('type'),
  '--state': value('state'),
  '--property': value('property'),
  '-p': value('property'),
  '--lines': value('lines'),
  '-n': value('lines'),
};

interface Asked {
  readonly names: readonly string[];
  readonly has: (option: string) => boolean;
  readonly values: (option: string) => readonly string[];
}

type Verb = (asked: Asked) => Answer | Promise<Answer>;

const VERBS: Readonly<Record<string, Verb>> = {
  status: (asked) => each(asked, status, missingStatus),
  show: (asked) => each(asked, show, (name) => showMissing(name, asked)),
  cat: (asked) => each(asked, ({ unit }) => printed(formatUnitFile(unit)), noFiles),
  'is-active': (asked) => firstState(asked, 'active', 3),
  'is-failed': (asked) => firstState(asked, 'failed', 1),
  'is-enabled': (asked) => each(asked, isEnabled, noUnitFile),
  'is-system-running': isSystemRunning,
  'list-units': listUnits,
  'daemon-reload': () => SILENT,
  'reset-failed': (asked) => {
    const names = asked.names.length > 0 ? asked.names : knownUnits().map(({ unit }) => unit.name);
    names.forEach(resetFailed);
    return SILENT;
  },
  reboot: () => goDown('reboot'),
  poweroff: () => goDown('off'),
  halt: () => goDown('off'),
  start: (asked) => each(asked, start, (name) => noUnit('start', name)),
  stop: (asked) => each(asked, stop, (name) => noUnit('stop', name)),
  restart: (asked) => each(asked, restart, (name) => noUnit('restart', name)),
  reload: (asked) => each(asked, reload, (name) => noUnit('reload', name)),
  enable: (asked) =>
    each(
      asked,
      (known) => enable(known, true, asked),
      (name) => noEnable(name),
    ),
  disable: (asked) =>
    each(
      asked,
      (known) => enable(known, false, asked),
      (name) => noEnable(name),
    ),
};

export function systemctl(args: readonly string[]): Answer | Promise<Answer> {
  const read = readGnuArguments(args, OPTIONS);
  if (!read.ok) return refused(`systemctl: ${read.message}`, 1);
  const [verb = 'list-units', ...words] = read.words;
  const asked: Asked = {
    names: words.map(unitName),
    has: (option) => read.options.has(option),
    values: (option) => read.options.get(option) ?? [],
  };
  return VERBS[verb]?.(asked) ?? refused(`Unknown command verb ${verb}.`, 1);
}

/** One answer per named unit, joined; the worst exit code counts. */
async function each(
  asked: Asked,
  known: (unit: KnownUnit, asked: Asked) => Answer | Promise<Answer>,
  missing: (name: string) => Answer,
): Promise<Answer> {
  if (asked.names.length === 0) return refused('Too few arguments.', 1);
  const answers: Answer[] = [];
  for (const name of asked.names) {
    const unit = findUnit(name);
    answers.push(unit ? await known(unit, asked) : missing(name));
  }
  return {
    code: Math.max(...answers.map(({ code }) => code)),
    out: answers
      .map(({ out = '' }) => out)
      .filter((out) => out !== '')
      .join('\n'),
    err: answers.map(({ err = '' }) => err).join(''),
  };
}

function status(known: KnownUnit, asked: Asked): Answer {
  const lastLines = Number(asked.values('lines')[0] ?? 10);
  const log = selectEntries(readJournal(), { units: [known.unit.name], maxPriority: 7, lastLines })
    .map((entry) => formatEntry(entry, hostname(), 'short'))
    .join('');
  return {
    code: known.state.active === 'active' ? 0 : 3,
    out: formatStatus(known, Date.now(), log),
  };
}

function missingStatus(name: string): Answer {
  return refused(`Unit ${name} could not be found.`, 4);
}

function show(known: KnownUnit, asked: Asked): Answer {
  return printed(
    formatProperties(unitProperties(known), askedProperties(asked), asked.has('value')),
  );
}

function showMissing(name: string, asked: Asked): Answer {
  return printed(
    formatProperties(missingUnitProperties(name), askedProperties(asked), asked.has('value')),
  );
}

function askedProperties(asked: Asked): string[] {
  return asked.values('property').flatMap((list) => list.split(','));
}

/** Exit 0 as soon as one unit is in the state, as systemctl does. */
function firstState(asked: Asked, wanted: string, otherwise: number): Answer {
  const units = asked.names.map(findUnit);
  const states = units.map((known) => known?.state.active ?? 'inactive');
  const allMissing = units.every((known) => known === undefined);
  const code = states.includes(wanted as never) ? 0 : allMissing ? 4 : otherwise;
  return { code, out: asked.has('quiet') ? '' : states.map((state) => `${state}\n`).join('') };
}

function isEnabled({ unit }: KnownUnit, asked: Asked): Answer {
  const word = unit.enabled ? 'enabled' : 'disabled';
  return { code: unit.enabled ? 0 : 1, out: asked.has('quiet') ? '' : `${word}\n` };
}

function isSystemRunning(): Answer {
  const degraded = knownUnits().some(({ state }) => state.active === 'failed');
  return { code: degraded ? 1 : 0, out: degraded ? 'degraded\n' : 'running\n' };
}

function listUnits(asked: Asked): Answer {
  const states = asked.has('failed') ? ['failed'] : asked.values('state').flatMap(splitList);
  const types = asked.values('type').flatMap(splitList);
  const shown = knownUnits().filter(
    ({ state }) =>
      (types.length === 0 || types.includes('service')) &&
      (states.length === 0
        ? asked.has('all') || state.active !== 'inactive'
        : states.includes(state.active) ||
          (states.includes('running') && state.active === 'active')),
  );
  const text = formatUnitList(shown);
  if (!asked.has('no-legend')) return printed(text);
  return printed(
    shown.length === 0
      ? ''
      : `${text
          .split('\n')
          .slice(1, 1 + shown.length)
          .join('\n')}\n`,
  );
}

function splitList(list: string): string[] {
  return list.split(',');
}

function start(known: KnownUnit): Answer {
  return startUnit(known) ? SILENT : jobFailed(known);
}

async function stop(known: KnownUnit): Promise<Answer> {
  await stopUnit(known);
  return SILENT;
}

async function restart(known: KnownUnit): Promise<Answer> {
  await stopUnit(known);
  return start({ ...known, state: { active: 'inactive' } });
}

function reload(known: KnownUnit): Answer {
  const { name } = known.unit;
  if (!known.unit.reloadable) {
    return refused(
      `Failed to reload ${name}: Job type reload is not applicable for unit ${name}.`,
      1,
    );
  }
  if (known.state.active !== 'active') {
    return refused(`${name} is not active, cannot reload.`, 1);
  }
  return reloadUnit(known) ? SILENT : jobFailed(known);
}

async function enable(known: KnownUnit, enabled: boolean, asked: Asked): Promise<Answer> {
  const { name } = known.unit;
  const link = `/etc/systemd/system/multi-user.target.wants/${name}`;
  const changed = known.unit.enabled !== enabled;
  if (changed) enableUnit(known.unit, enabled);
  if (asked.has('now') && enabled) startUnit(known);
  if (asked.has('now') && !enabled) await stopUnit(known);
  if (!changed) return SILENT;
  return {
    code: 0,
    err: enabled
      ? `Created symlink ${link} → /lib/systemd/system/${name}.\n`
      : `Removed "${link}".\n`,
  };
}

function jobFailed({ unit }: KnownUnit): Answer {
  return refused(
    `Job for ${unit.name} failed because the control process exited with error code.\nSee "systemctl status ${unit.name}" and "journalctl -xeu ${unit.name}" for details.`,
    1,
  );
}

function noUnit(verb: string, name: string): Answer {
  return refused(`Failed to ${verb} ${name}: Unit ${name} not found.`, 5);
}

function noEnable(name: string): Answer {
  return refused(`Failed to enable unit: Unit file ${name} does not exist.`, 1);
}

function noUnitFile(name: string): Answer {
  return refused(`Failed to get unit file state for ${name}: No such file or directory`, 1);
}

function noFiles(name: string): Answer {
  return refused(`No files found for ${name}.`, 1);
}
