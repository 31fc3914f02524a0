import { printable } from '../shared/printable.ts';

/** `fails`: something is missing; `note`: worth knowing, nothing is missing. */
export const CHECK_MARKS = ['ok', 'note', 'fails'] as const;
export type CheckMark = (typeof CHECK_MARKS)[number];

/** One thing that was looked at, as one line for people. */
export interface Check {
  readonly mark: CheckMark;
  /** What is so; may hold text from outside. */
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}

const SIGNS: Readonly<Record<CheckMark, string>> = { ok: '✓', note: '·', fails: '✗' };

export function ok(text: string): Check {
  return { mark: 'ok', text };
}

export function note(text: string, todo?: string): Check {
  return { mark: 'note', text, ...(todo !== undefined && { todo }) };
}

export function fails(text: string, todo?: string): Check {
  return { mark: 'fails', text, ...(todo !== undefined && { todo }) };
}

/** `✗ what is wrong: what to do`, safe to show whatever a server put into it. */
export function checkLine({ mark, text, todo }: Check): string {
  const line = todo === undefined ? text : `${text}: ${todo}`;
  return `${SIGNS[mark]} ${printable(line, { newlines: false })}`;
}

export function somethingFails(checks: readonly Check[]): boolean {
  return checks.some(({ mark }) => mark === 'fails');
}
