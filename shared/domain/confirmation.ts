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
  const match = /^(?:i +)?confirm +(\S+) +(\S+?)[.!]?$/i.exec(words.trim());
  if (!match) return false;
  const [, verb = '', object = ''] = match;
  if (verb.toLowerCase() !== phrase.verb.toLowerCase()) return false;
  return [phrase.object, ...phrase.aliases].includes(object);
}
