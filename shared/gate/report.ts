import type { GateFlag, GatePart, PartAccess } from '../domain/gate-result.ts';
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
}

/** Collects what is found while a command is walked. */
export class Report {
  risk: RiskClass = 'read_only';
  readonly flags = new Set<GateFlag>();
  private readonly found = new Map<string, Finding>();
  private readonly touched = new Set<string>();
  private reachUnknown = false;

  add(finding: Finding): void {
    this.risk = stricter(this.risk, finding.class);
    for (const flag of finding.flags ?? []) this.flags.add(flag);
    this.addTouches(finding.touches);
    const key = JSON.stringify([finding.span, finding.rule, finding.class, finding.text]);
    const known = this.found.get(key);
    if (!known) this.found.set(key, finding);
    else if (!isSameAccess(known.access, finding.access)) {
      // One part of two kinds of access is excused by neither.
      this.found.set(key, { ...known, access: OTHER_ACCESS });
    }
  }

  addFlags(flags: readonly GateFlag[]): void {
    for (const flag of flags) this.flags.add(flag);
  }

  addTouches(touches: readonly string[] | 'unknown' | undefined): void {
    if (touches === 'unknown') this.reachUnknown = true;
    else for (const slug of touches ?? []) this.touched.add(slug);
  }

  get touches(): readonly string[] | 'unknown' {
    return this.reachUnknown || this.flags.has('opaque') ? 'unknown' : [...this.touched].sort();
  }

  /** All findings, strictest first, otherwise in the order of the command. */
  get findings(): readonly Finding[] {
    return [...this.found.values()].sort(
      (a, b) => compareRisk(b.class, a.class) || a.span[0] - b.span[0] || a.span[1] - b.span[1],
    );
  }
}

function isSameAccess(one: PartAccess | undefined, other: PartAccess | undefined): boolean {
  return one?.kind === other?.kind && one?.at === other?.at;
}

function compareRisk(a: RiskClass, b: RiskClass): number {
  if (a === b) return 0;
  return isStricter(a, b) ? 1 : -1;
}
