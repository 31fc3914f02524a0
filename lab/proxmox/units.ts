/** Service units of the systemd stand-in and the text that systemctl prints of them. Pure. */

export interface Unit {
  /** With its suffix: `nginx.service`. */
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  /** How the process calls itself, as `ps` shows it. */
  readonly command: string;
  readonly reloadable: boolean;
  /** The unit only starts while this file exists; else it fails with `complaint`. */
  readonly needs?: string;
  readonly complaint?: string;
}

export type UnitState =
  | { readonly active: 'active'; readonly pid: number; readonly sinceMs: number }
  | { readonly active: 'inactive'; readonly sinceMs?: number }
  | { readonly active: 'failed'; readonly sinceMs: number; readonly exitStatus: number };

export interface KnownUnit {
  readonly unit: Unit;
  readonly state: UnitState;
}

const SUB_STATES = { active: 'running', inactive: 'dead', failed: 'failed' } as const;
const DOTS = { active: '●', inactive: '○', failed: '×' } as const;

/** A file of /etc/lab/units; undefined when it is none (the name comes from the file's name). */
export function readUnit(name: string, text: string): Unit | undefined {
  const raw: unknown = JSON.parse(text);
  if (typeof raw !== 'object' || raw === null) return undefined;
  const field = (key: string): unknown => Object.entries(raw).find(([name]) => name === key)?.[1];
  const word = (key: string) => {
    const value = field(key);
    return typeof value === 'string' ? value : undefined;
  };
  const needs = word('needs');
  const complaint = word('complaint');
  return {
    name,
    description: word('description') ?? name,
    enabled: field('enabled') === true,
    command: word('command') ?? name,
    reloadable: field('reloadable') === true,
    ...(needs !== undefined && { needs }),
    ...(complaint !== undefined && { complaint }),
  };
}

/** `nginx` and `nginx.service` are the same unit. */
export function unitName(word: string): string {
  return /\.(service|socket|timer|target|mount)$/.test(word) ? word : `${word}.service`;
}

export function formatStatus({ unit, state }: KnownUnit, nowMs: number, log: string): string {
  const enabled = unit.enabled ? 'enabled' : 'disabled';
  const short = unit.name.replace(/\.service$/, '');
  const lines = [
    `${DOTS[state.active]} ${unit.name} - ${unit.description}`,
    `     Loaded: loaded (/lib/systemd/system/${unit.name}; ${enabled}; preset: enabled)`,
    `     Active: ${activeLine(state, nowMs)}`,
  ];
  if (state.active === 'failed') {
    lines.push(
      `    Process: ExecStart=/usr/sbin/${short} (code=exited, status=${state.exitStatus}/FAILURE)`,
      '        CPU: 12ms',
    );
  }
  if (state.active === 'active') {
    lines.push(
      `   Main PID: ${state.pid} (${short})`,
      '      Tasks: 1 (limit: 4915)',
      '     Memory: 3.2M',
      '        CPU: 12ms',
      `     CGroup: /system.slice/${unit.name}`,
      `             └─${state.pid} "${unit.command}"`,
    );
  }
  return `${lines.join('\n')}\n${log === '' ? '' : `\n${log}`}`;
}

function activeLine(state: UnitState, nowMs: number): string {
  const since =
    state.sinceMs === undefined
      ? ''
      : ` since ${stamp(state.sinceMs)}; ${ago(nowMs - state.sinceMs)} ago`;
  switch (state.active) {
    case 'active':
      return `active (running)${since}`;
    case 'inactive':
      return `inactive (dead)${since}`;
    case 'failed':
      return `failed (Result: exit-code)${since}`;
  }
}

/** `list-units`: the header and legend of a real one; `--failed` marks each line with a dot. */
export function formatUnitList(units: readonly KnownUnit[]): string {
  if (units.length === 0) return '  UNIT LOAD ACTIVE SUB DESCRIPTION\n0 loaded units listed.\n';
  const width = Math.max(4, ...units.map(({ unit }) => unit.name.length));
  const row = (
    dot: string,
    name: string,
    load: string,
    active: string,
    sub: string,
    text: string,
  ) =>
    `${dot} ${name.padEnd(width)} ${load.padEnd(6)} ${active.padEnd(8)} ${sub.padEnd(7)} ${text}\n`;
  const rows = units.map(({ unit, state }) =>
    row(
      state.active === 'failed' ? '●' : ' ',
      unit.name,
      'loaded',
      state.active,
      SUB_STATES[state.active],
      unit.description,
    ),
  );
  return [
    row(' ', 'UNIT', 'LOAD', 'ACTIVE', 'SUB', 'DESCRIPTION'),
    ...rows,
    '\n',
    'LOAD   = Reflects whether the unit definition was properly loaded.\n',
    'ACTIVE = The high-level unit activation state, i.e. generalization of SUB.\n',
    'SUB    = The low-level unit activation state, values depend on unit type.\n',
    `${units.length} loaded units listed.\n`,
  ].join('');
}

/** The properties of `systemctl show`. */
export function unitProperties({ unit, state }: KnownUnit): Record<string, string> {
  return {
    Type: 'forking',
    Restart: 'no',
    MainPID: state.active === 'active' ? String(state.pid) : '0',
    Result: state.active === 'failed' ? 'exit-code' : 'success',
    NRestarts: '0',
    ExecMainStatus: state.active === 'failed' ? String(state.exitStatus) : '0',
    Id: unit.name,
    Names: unit.name,
    Description: unit.description,
    LoadState: 'loaded',
    ActiveState: state.active,
    SubState: SUB_STATES[state.active],
    FragmentPath: `/lib/systemd/system/${unit.name}`,
    UnitFileState: unit.enabled ? 'enabled' : 'disabled',
    ActiveEnterTimestamp: state.active === 'active' ? stamp(state.sinceMs) : '',
  };
}

/** What systemd says of a unit that it cannot find: every property empty but these. */
export function missingUnitProperties(name: string): Record<string, string> {
  return {
    MainPID: '0',
    Result: 'success',
    Id: name,
    Names: name,
    Description: name,
    LoadState: 'not-found',
    ActiveState: 'inactive',
    SubState: 'dead',
    UnitFileState: '',
  };
}

/** `-p A,B` and `--value`; without names all of them. */
export function formatProperties(
  properties: Readonly<Record<string, string>>,
  names: readonly string[],
  valueOnly: boolean,
): string {
  const shown = names.length === 0 ? Object.keys(properties) : names;
  return shown
    .filter((name) => properties[name] !== undefined)
    .map((name) => (valueOnly ? `${properties[name]}\n` : `${name}=${properties[name]}\n`))
    .join('');
}

export function formatUnitFile(unit: Unit): string {
  const short = unit.name.replace(/\.service$/, '');
  return [
    `# /lib/systemd/system/${unit.name}`,
    '[Unit]',
    `Description=${unit.description}`,
    'After=network.target',
    '',
    '[Service]',
    'Type=forking',
    `ExecStart=/usr/sbin/${short}`,
    ...(unit.reloadable ? ['ExecReload=/bin/kill -HUP $MAINPID'] : []),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

/** `Sun 2026-11-29 23:40:12 UTC`. */
export function stamp(atMs: number): string {
  const iso = new Date(atMs).toISOString();
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(atMs).getUTCDay()];
  return `${day} ${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** `5s`, `1min 3s`, `2h 5min`, `3 days`. */
export function ago(spanMs: number): string {
  const seconds = Math.max(0, Math.floor(spanMs / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return days === 1 ? '1 day' : `${days} days`;
  if (hours > 0) return `${hours}h ${minutes % 60}min`;
  if (minutes > 0) return `${minutes}min ${seconds % 60}s`;
  return `${seconds}s`;
}
