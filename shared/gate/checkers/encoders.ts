import type { Call } from '../rule.ts';

/**
 * Why text that comes out of this call could no longer be recognised as a secret, or undefined. What
 * programs print is searched for passwords before anybody reads it; encoded it cannot be.
 */
export function refuseEncoding(call: Call): string | undefined {
  const { input } = call;
  const substituted = call.args.some((arg) => arg.prefix.startsWith('/dev/fd/'));
  if (!substituted && input.kind !== 'pipe' && input.kind !== 'text') return undefined;
  if (input.kind === 'pipe' && isPlainText(input.from.map((word) => word.text))) return undefined;
  return 'it encodes what another command prints, where a secret would not be recognised';
}

/** `echo some words`, nothing computed. */
function isPlainText(words: readonly (string | undefined)[]): boolean {
  return /^(echo|printf)$/.test(words[0] ?? '') && !words.includes(undefined);
}

const CASES = /^(a-z|A-Z|\[a-z\]|\[A-Z\]|\[:(upper|lower):\])$/;

/** The same for tr: letters that are changed or dropped hide names and values alike. */
export function refuseTranslation(call: Call): string | undefined {
  const sets = call.args.filter((arg) => !/^-[a-zA-Z]+$/.test(arg.text ?? ''));
  const letters = call.args
    .map((arg) => arg.text ?? '')
    .filter((text) => /^-[a-zA-Z]+$/.test(text));
  const [from, to] = sets.map((set) => set.text);
  const keeps = letters.every((text) => /^-[ds]+$/.test(text));
  const changesCase = letters.length === 0 && CASES.test(from ?? '') && CASES.test(to ?? '');
  const squeezes = letters.join('') === '-s' && sets.length === 1;
  const plain =
    from !== undefined &&
    !/[a-zA-Z0-9]/.test(from.replace(/\\[ntr0]|\[:(space|blank|punct|cntrl):\]/g, ''));
  // What is left are figures, such as how full a disk is: no name and no password.
  const figures =
    /^-(dc|cd)$/.test(letters.join('')) &&
    /^(0-9|\[:digit:\]|[.,%: ]|\\n|\n)+$/.test(from ?? '') &&
    to === undefined;
  return changesCase || squeezes || figures || (keeps && plain) ? undefined : refuseEncoding(call);
}
