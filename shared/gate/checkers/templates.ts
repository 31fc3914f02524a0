const WHOLE =
  /\.(Config|ContainerConfig|Spec|PreviousSpec|TaskTemplate|ContainerSpec|PluginSpec)(?![\w.])/;

/**
 * Why a Go template over the description of a container or image may print its environment, or
 * undefined when it cannot. Single fields are fine; whole objects that hold Env are not.
 */
export function refuseTemplate(template: string): string | undefined {
  if (/\bEnv\b/.test(template)) return 'it prints environment values';
  // The `else` of `with` and `range` stands outside them again.
  const turns = /\{\{-?\s*else\b/.test(template);
  let depth = 0;
  for (const [, body = ''] of template.matchAll(/\{\{(.*?)\}\}/gs)) {
    const action = body.replace(/"(?:\\.|[^"\\])*"|`[^`]*`/g, '""');
    const refusal = refuseAction(action, depth === 0 || turns);
    if (refusal !== undefined) return refusal;
    depth = Math.max(0, depth + stepOf(action));
  }
  return undefined;
}

/** `outermost`: the dot may be the whole description. `$` is it everywhere. */
function refuseAction(action: string, outermost: boolean): string | undefined {
  if (/\b(define|template|block|call)\b/.test(action)) return 'its format is not followed';
  if (WHOLE.test(action)) return 'it prints a whole object that holds environment values';
  const dollar = /(^|[\s(,|=])\$(?![\w.])/.test(action);
  const dot = outermost && /(^|[\s(,|=-])\.(?!\w)/.test(action);
  return dollar || dot ? 'it prints the whole description, environment values included' : undefined;
}

/** How much deeper it is afterwards. An `end` may close an `if`: then more is refused than need be. */
function stepOf(action: string): number {
  if (/^-?\s*(range|with)\b/.test(action)) return 1;
  return /^-?\s*end\b/.test(action) ? -1 : 0;
}
