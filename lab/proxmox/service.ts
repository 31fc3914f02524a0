/** Units that really run: each is a small background process in a session of its own. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { formatEntryLine, type JournalEntry, parseJournal } from './journal.ts';
import { checkNginx } from './nginx.ts';
import { isAlive, markOf, readIfThere, signalProcess, waitForEnd } from './process-table.ts';
import { type KnownUnit, readUnit, type Unit, type UnitState } from './units.ts';

const UNIT_DIR = '/etc/lab/units';
const STATE_DIR = '/run/lab/units';
const JOURNAL = '/var/log/lab-journal';

export function knownUnits(): KnownUnit[] {
  if (!existsSync(UNIT_DIR)) return [];
  return readdirSync(UNIT_DIR)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => findUnit(`${file.slice(0, -'.json'.length)}.service`) ?? []);
}

/** By its full name, `nginx.service`. */
export function findUnit(name: string): KnownUnit | undefined {
  const text = readIfThere(unitPath(name));
  const unit = text === undefined ? undefined : readUnit(name, text);
  return unit && { unit, state: readState(name) };
}

/** True when it runs afterwards; a unit that already runs is left alone. */
export function startUnit({ unit, state }: KnownUnit): boolean {
  if (state.active === 'active') return true;
  const complaint = startComplaint(unit);
  say(unit, { message: `Starting ${unit.name} - ${unit.description}...` });
  if (complaint !== undefined) {
    fail(unit, complaint);
    return false;
  }
  const process = spawn('/usr/bin/sleep', ['infinity'], {
    argv0: unit.command,
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: {},
  });
  process.unref();
  const mark = process.pid === undefined ? undefined : markOf(process.pid);
  if (!mark) {
    fail(unit, 'the process ended at once');
    return false;
  }
  writeState(unit.name, `active ${mark.pid} ${mark.startTicks} ${Date.now()}`);
  say(unit, { message: `Started ${unit.name} - ${unit.description}.` });
  return true;
}

export async function stopUnit({ unit, state }: KnownUnit): Promise<void> {
  if (state.active === 'active') {
    say(unit, { message: `Stopping ${unit.name} - ${unit.description}...` });
    const mark = markOf(state.pid);
    if (mark) {
      signalProcess(mark, 'SIGTERM');
      await waitForEnd(mark, 5000);
    }
    say(unit, { message: `${unit.name}: Deactivated successfully.` });
    say(unit, { message: `Stopped ${unit.name} - ${unit.description}.` });
  }
  writeState(unit.name, `inactive 0 0 ${Date.now()}`);
}

export function reloadUnit({ unit }: KnownUnit): boolean {
  const complaint = startComplaint(unit);
  say(unit, { message: `Reloading ${unit.name} - ${unit.description}...` });
  if (complaint !== undefined) {
    say(unit, { message: complaint, priority: 3 });
    return false;
  }
  say(unit, { message: `Reloaded ${unit.name} - ${unit.description}.` });
  return true;
}

/** Forgets a failure. */
export function resetFailed(name: string): void {
  if (readState(name).active === 'failed') rmSync(`${STATE_DIR}/${name}`, { force: true });
}

export function enableUnit(unit: Unit, enabled: boolean): void {
  const text = readFileSync(unitPath(unit.name), 'utf8');
  const fields: unknown = JSON.parse(text);
  const merged = { ...(typeof fields === 'object' ? fields : {}), enabled };
  writeFileSync(unitPath(unit.name), `${JSON.stringify(merged, undefined, 2)}\n`);
}

export function readJournal(): JournalEntry[] {
  return parseJournal(readIfThere(JOURNAL) ?? '');
}

/** What happens at boot: every enabled unit is started, and some may fail. */
export function startEnabledUnits(): void {
  for (const known of knownUnits()) if (known.unit.enabled) startUnit(known);
}

function startComplaint(unit: Unit): string | undefined {
  if (unit.needs !== undefined && !existsSync(unit.needs)) {
    return unit.complaint ?? `${unit.needs}: No such file or directory`;
  }
  if (unit.name !== 'nginx.service') return undefined;
  const verdict = checkNginx();
  return verdict.ok ? undefined : verdict.message;
}

function fail(unit: Unit, complaint: string): void {
  const control = { identifier: unit.name.replace(/\.service$/, ''), pid: process.pid };
  say(unit, { message: complaint, priority: 3, ...control });
  say(unit, {
    message: `${unit.name}: Control process exited, code=exited, status=1/FAILURE`,
    priority: 5,
  });
  say(unit, { message: `${unit.name}: Failed with result 'exit-code'.`, priority: 4 });
  say(unit, { message: `Failed to start ${unit.name} - ${unit.description}.`, priority: 3 });
  writeState(unit.name, `failed 1 0 ${Date.now()}`);
}

function say(unit: Unit, what: Partial<JournalEntry> & { message: string }): void {
  const entry = {
    atMs: Date.now(),
    unit: unit.name,
    identifier: 'systemd',
    pid: 1,
    priority: 6,
    ...what,
  };
  appendFileSync(JOURNAL, formatEntryLine(entry));
}

function unitPath(name: string): string {
  return `${UNIT_DIR}/${name.replace(/\.service$/, '').replaceAll('/', '')}.json`;
}

function writeState(name: string, text: string): void {
  mkdirSync(STATE_DIR, { recursive: true });
  writeFileSync(`${STATE_DIR}/${name}`, text);
}

/** A process that died behind our back makes the unit failed, as systemd would notice (killed by a signal). */
function readState(name: string): UnitState {
  const text = readIfThere(`${STATE_DIR}/${name.replaceAll('/', '')}`);
  if (text === undefined) return { active: 'inactive' };
  const [active, ...numbers] = text.split(' ');
  const [first = 0, startTicks = 0, sinceMs = 0] = numbers.map(Number);
  if (active === 'failed') return { active, exitStatus: first, sinceMs };
  if (active !== 'active') return { active: 'inactive', sinceMs };
  if (isAlive({ pid: first, startTicks })) return { active, pid: first, sinceMs };
  return { active: 'failed', exitStatus: 137, sinceMs };
}
