import type { Context } from '../context.ts';
import type { Value } from '../value.ts';
import { pathsFrom, whereOf } from './places.ts';

/** The kernel's own files lead nowhere; devices are judged by their names. */
const KERNEL = /^\/(proc|sys|dev)\//;

/**
 * Remembers a file whose text comes out, so that a link in its place can be followed before the run.
 * `scan`: the word may be no file at all, so only what is written like one counts.
 */
export function noteOperand(value: Value, mode: 'print' | 'scan', context: Context): void {
  const { text } = value;
  if (text === undefined || text === '' || text.startsWith('-') || KERNEL.test(text)) return;
  if (mode === 'scan' && !/^\.{0,2}\//.test(text)) return;
  const where = whereOf(context);
  if (where === undefined) return;
  for (const path of pathsFrom(text, context.scope.directories) ?? []) {
    context.report.addOperand({ path, ...where });
  }
}
