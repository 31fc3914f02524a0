import { createHash } from 'node:crypto';
import type { ConfirmPhrase, GateResult } from '../domain/gate-result.ts';
import { MATCHES_PLACEHOLDER } from '../domain/objects.ts';
import type { DestroyedObject, Report } from './report.ts';

const TYPEABLE = /^[A-Za-z0-9@._:/+-]{1,60}$/;

// Something destructive that says nothing of its object is one more thing nobody could name.
const NAMELESS: DestroyedObject = { verb: 'run', name: undefined };

/**
 * The sentence a person must type before a destructive command, or the hint how to split the
 * command so that there can be one. `@target` stands for the name of the place it runs on.
 */
export function confirmation(report: Report): Pick<GateResult, 'confirm' | 'hint' | 'globs'> {
  const destroying = report.findings.filter((finding) => finding.class === 'destructive');
  const objects = distinct(destroying.flatMap((finding) => finding.objects ?? [NAMELESS]));
  const [only, ...more] = objects;
  if (only === undefined) return {};
  if (more.length > 0) {
    return { hint: 'It destroys more than one thing: ask for each in a command of its own' };
  }
  return listed(only, report) ?? phraseFor(only, report);
}

/** A pattern is confirmed by what it matches, which is listed first. */
function listed(
  { verb, globs }: DestroyedObject,
  { findings }: Report,
): Pick<GateResult, 'confirm' | 'globs'> | undefined {
  // A setting of the shell could make the pattern match more than the list shows.
  const odd = findings.some(({ rule }) => /^(shopt|set|unset|export|declare)\b/.test(rule));
  return globs === undefined || odd
    ? undefined
    : { confirm: { verb, object: MATCHES_PLACEHOLDER }, globs };
}

// These can make `cd` something else, or fail to change anything.
const REDEFINES = /^(shell|alias|unalias|set|shopt|export|declare|eval|enable)\b/;

function phraseFor(object: DestroyedObject, report: Report): Pick<GateResult, 'confirm' | 'hint'> {
  const odd = object.resolved && report.findings.some(({ rule }) => REDEFINES.test(rule));
  if (object.name === undefined || odd) {
    return { hint: `What "${object.verb}" acts on is not plain: name one thing literally` };
  }
  if (!TYPEABLE.test(object.name)) {
    return { hint: 'Its object cannot be typed in a sentence: use a shorter, plain name' };
  }
  const confirm: ConfirmPhrase = { verb: object.verb, object: object.name };
  if (object.within === undefined) return { confirm };
  return { confirm: { ...confirm, within: fingerprint(object.within, report) } };
}

/** Whatever else the line changes can decide which thing the name means: `docker context use x`. */
function fingerprint(within: string, { findings }: Report): string {
  const beside = findings.filter(
    ({ class: risk }) => risk !== 'destructive' && risk !== 'read_only',
  );
  const text = [within, ...beside.map((finding) => finding.text)].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function distinct(objects: readonly DestroyedObject[]): readonly DestroyedObject[] {
  const seen = new Map<string, DestroyedObject>();
  for (const object of objects) {
    seen.set(JSON.stringify([object.name, object.verb, object.within, object.globs]), object);
  }
  return [...seen.values()];
}
