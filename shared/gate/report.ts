import type {
  GateContent,
  GateFlag,
  GateGlob,
  GateOperand,
  GatePart,
  PartAccess,
} from '../domain/gate-result.ts';
import { isStricter, type RiskClass, stricter } from '../domain/risk.ts';

/** One judgement about a stretch of the command. */
export interface Finding extends Omit<GatePart, 'touches'> {
  readonly flags?: readonly GateFlag[];
  readonly touches?: readonly string[] | 'unknown';
  /** What a destructive finding destroys; undefined when it cannot be told. */
  readonly objects?: readonly DestroyedObject[];
}

/** Access of which nothing is known that could excuse it. */
export const OTHER_ACCESS: PartAccess = { kind: 'other', at: 'elsewhere' };

/** `name` is undefined when the object is decided at run time. */
export interface DestroyedObject {
  readonly verb: string;
  readonly name: string | undefined;
  /** Tells things of one name apart: what of the call decides which one is meant. */
  readonly within?: string;
  /** The name was worked out from a `cd` before it. */
  readonly resolved?: true;
  /** Instead of a name: a pattern whose matches can be listed beforehand. */
  readonly globs?: readonly GateGlob[];
}

/** Collects what is found while a command is walked. */
export class Report {
  risk: RiskClass = 'read_only';
  readonly flags = new Set<GateFlag>();
  private readonly found: Finding[] = [];
  private readonly seen = new Map<string, Map<string, number>>();
  private readonly touched = new Set<string>();
  private reachUnknown = false;
  private readonly files = {
    contents: new Map<string, GateContent>(),
    operands: new Map<string, GateOperand>(),
  };

  add(finding: Finding): void {
    this.risk = stricter(this.risk, finding.class);
    for (const flag of finding.flags ?? []) this.flags.add(flag);
    this.addTouches(finding.touches);
    const before = this.slotOf(finding);
    const known = this.found[before];
    this.found[before] = known === undefined ? finding : alsoAbout(known, finding);
  }

  // The text is a key of its own, never copied: it can be long, and found in a thousand ways.
  private slotOf({ span, rule, class: risk, text }: Finding): number {
    const key = `${span[0]} ${span[1]} ${risk} ${rule}`;
    const slots = this.seen.get(text) ?? new Map<string, number>();
    const slot = slots.get(key) ?? this.found.length;
    this.seen.set(text, slots.set(key, slot));
    return slot;
  }

  addFlags(flags: readonly GateFlag[]): void {
    for (const flag of flags) this.flags.add(flag);
  }

  addTouches(touches: readonly string[] | 'unknown' | undefined): void {
    if (touches === 'unknown') this.reachUnknown = true;
    else for (const slug of touches ?? []) this.touched.add(slug);
  }

  /** A file that the command executes or applies. */
  addContent(content: GateContent): void {
    this.files.contents.set(JSON.stringify(content), content);
  }

  /** A file whose text the command shows. */
  addOperand(operand: GateOperand): void {
    this.files.operands.set(JSON.stringify(operand), operand);
  }

  get contents(): readonly GateContent[] {
    return [...this.files.contents.values()];
  }

  get operands(): readonly GateOperand[] {
    return [...this.files.operands.values()];
  }

  get touches(): readonly string[] | 'unknown' {
    return this.reachUnknown || this.flags.has('opaque') ? 'unknown' : [...this.touched].sort();
  }

  /** All findings, strictest first, otherwise in the order of the command. */
  get findings(): readonly Finding[] {
    return [...this.found].sort(
      (a, b) => compareRisk(b.class, a.class) || a.span[0] - b.span[0] || a.span[1] - b.span[1],
    );
  }
}

function isSameAccess(one: PartAccess | undefined, other: PartAccess | undefined): boolean {
  return one?.kind === other?.kind && one?.at === other?.at;
}

// Two different ones already leave no sentence to type.
const ENOUGH_OBJECTS = 2;

/** A loop judges one stretch once for each value: every round has an object of its own. */
function alsoAbout(before: Finding, again: Finding): Finding {
  // One part of two kinds of access is excused by neither.
  const access = isSameAccess(before.access, again.access) ? {} : { access: OTHER_ACCESS };
  const known = before.objects ?? [];
  if (known.length >= ENOUGH_OBJECTS) return { ...before, ...access };
  const news = (again.objects ?? []).filter((object) => !known.some((one) => isSame(one, object)));
  const objects = news.length === 0 ? {} : { objects: [...known, ...news] };
  return { ...before, ...access, ...objects };
}

const isSame = (a: DestroyedObject, b: DestroyedObject): boolean =>
  a.verb === b.verb && a.name === b.name && a.within === b.within;

function compareRisk(a: RiskClass, b: RiskClass): number {
  if (a === b) return 0;
  return isStricter(a, b) ? 1 : -1;
}
