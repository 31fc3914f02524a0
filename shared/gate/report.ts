import type { GateFlag, GatePart } from '../domain/gate-result.ts';
import { isStricter, type RiskClass, stricter } from '../domain/risk.ts';

/** One judgement about a stretch of the command. */
export interface Finding extends Omit<GatePart, 'touches'> {
  readonly flags?: readonly GateFlag[];
  readonly touches?: readonly string[] | 'unknown';
  /** What a destructive finding destroys; undefined when it cannot be told. */
  readonly objects?: readonly DestroyedObject[];
}

/** `name` is undefined when the object is decided at run time. */
export interface DestroyedObject {
  readonly verb: string;
  readonly name: string | undefined;
}

/** Collects what is found while a command is walked. */
export class Report {
  risk: RiskClass = 'read_only';
  readonly flags = new Set<GateFlag>();
  private readonly found: Finding[] = [];
  private readonly seen = new Map<string, Set<string>>();
  private readonly touched = new Set<string>();
  private reachUnknown = false;

  add(finding: Finding): void {
    this.risk = stricter(this.risk, finding.class);
    for (const flag of finding.flags ?? []) this.flags.add(flag);
    this.addTouches(finding.touches);
    if (this.isNew(finding)) this.found.push(finding);
  }

  // The text is a key of its own, never copied: it can be long, and found in a thousand ways.
  private isNew({ span, rule, class: risk, text }: Finding): boolean {
    const key = `${span[0]} ${span[1]} ${risk} ${rule}`;
    const keys = this.seen.get(text) ?? new Set();
    if (keys.has(key)) return false;
    this.seen.set(text, keys.add(key));
    return true;
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
    return [...this.found].sort(
      (a, b) => compareRisk(b.class, a.class) || a.span[0] - b.span[0] || a.span[1] - b.span[1],
    );
  }
}

function compareRisk(a: RiskClass, b: RiskClass): number {
  if (a === b) return 0;
  return isStricter(a, b) ? 1 : -1;
}
