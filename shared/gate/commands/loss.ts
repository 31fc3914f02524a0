import type { Call } from '../rule.ts';
import type { Value } from '../value.ts';

/** A use of a program that loses data or takes the machine down, whichever family it belongs to. */
export interface Loss {
  readonly programs: string;
  readonly why: string;
  /** How the words of the call read; the group `what` is what the typed sentence names. */
  readonly form: RegExp;
  readonly verb: string;
  readonly example: string;
  readonly near: string;
  /** Where more than one thing can be named: all of them. */
  readonly all?: ((call: Call) => readonly Value[]) | undefined;
}

/** One row of the table. */
export function loses(
  programs: string,
  why: string,
  form: RegExp,
  verb: string,
  example: string,
  near: string,
  all?: Loss['all'],
): Loss {
  return { programs, why, form, verb, example, near, all };
}
