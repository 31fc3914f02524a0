export interface Phrase {
  readonly verb: string;
  readonly object: string;
  readonly aliases: readonly string[];
}

/**
 * Whether a typed line is the card's sentence: `[I] confirm <verb> <object>`, alone on one line.
 * Case does not matter in "I confirm" and the verb; the object is exact, or one of its aliases.
 */
export function confirms(words: string, phrase: Phrase): boolean {
  const match = /^(?:i +)?confirm +(\S+) +(\S.*?)[.!]?$/iu.exec(words.trim());
  if (!match) return false;
  const [, verb = '', object = ''] = match;
  if (verb.toLowerCase() !== phrase.verb.toLowerCase()) return false;
  // Guest 135 may be written #135; which card that means was judged before.
  const names = [phrase.object, ...phrase.aliases];
  return names.includes(object) || names.includes(object.replace(/^#(?=\d+$)/, ''));
}
