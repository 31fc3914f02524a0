import { type Answer, printed, refused, SILENT } from '../proxmox/answer.ts';
import { formatEntry, selectEntries } from '../proxmox/journal.ts';
import { formatStatus, formatUnitList, type KnownUnit, unitName } from '../proxmox/units.ts';
import { type Place, setUnit, unitOf } from './house.ts';

const CHANGES: Readonly<Record<string, boolean>> = {
  start: true,
  restart: true,
  reload: true,
  stop: false,
};

/** `systemctl`, as far as the demo's questions need it. */
export function systemctl(place: Place, args: readonly string[], nowMs: number): Answer {
  const [verb = 'list-units', ...names] = args.filter((word) => !word.startsWith('-'));
  const known = [...place.units.keys()].flatMap((name) => unitOf(place, name) ?? []);
  if (args.includes('--failed')) {
    return printed(formatUnitList(known.filter(({ state }) => state.active === 'failed')));
  }
  if (verb === 'list-units') {
    return printed(formatUnitList(known.filter(({ state }) => state.active !== 'inactive')));
  }
  const name = unitName(names[0] ?? '');
  const unit = unitOf(place, name);
  if (!unit) return refused(`Unit ${name} could not be found.`, verb === 'status' ? 4 : 5);
  return answerFor(place, verb, unit, nowMs);
}

function answerFor(place: Place, verb: string, unit: KnownUnit, nowMs: number): Answer {
  const { name } = unit.unit;
  const code = unit.state.active === 'active' ? 0 : 3;
  if (verb === 'is-active') return { code, out: `${unit.state.active}\n` };
  if (verb === 'status') {
    return { code, out: formatStatus(unit, nowMs, journal(place, [name], 10)) };
  }
  const active = CHANGES[verb];
  if (active === undefined) return refused(`systemctl ${verb}: not in this lab`, 1);
  const runs = setUnit(place, name, active, nowMs);
  return runs === active
    ? SILENT
    : refused(
        `Job for ${name} failed because the control process exited with error code.\nSee "systemctl status ${name}" for details.`,
        1,
      );
}

/** `journalctl [-u UNIT] [-n LINES] [--no-pager]`. */
export function journalctl(place: Place, args: readonly string[]): Answer {
  const wordBehind = (option: string) => args[args.indexOf(option) + 1];
  const units = args.includes('-u') ? [unitName(wordBehind('-u') ?? '')] : [];
  const lines = args.includes('-n') ? Number(wordBehind('-n')) : 1_000;
  if (!Number.isInteger(lines)) return refused('journalctl: not in this lab in this form', 1);
  const text = journal(place, units, lines);
  return printed(text === '' ? '-- No entries --\n' : text);
}

function journal(place: Place, units: readonly string[], lastLines: number): string {
  return selectEntries(place.journal, { units, lastLines, maxPriority: 7 })
    .map((entry) => formatEntry(entry, place.name, 'short'))
    .join('');
}
