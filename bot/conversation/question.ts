/** Question marks of the scripts that people and models write in. */
const QUESTION = /[?？؟](?=[\s"'”’»)\]*_~`.,:!?]|$)/u;

/** How questions begin where nobody has put a mark behind them, in the languages of assent. */
const OPENERS: readonly string[] = [
  'shall i, shall we, should i, should we, do you, does it, did you, are you, is it, is that, is this, can i, can you, could i, could you, may i, would you, will you, which, what, who, when, where, why, how',
  'use, or should, or rather, want me to',
  'soll ich, sollen wir, möchtest du, willst du, darf ich, kann ich, welche, welchen, welcher, welches, was, wann, wo, warum, wie',
  'dois-je, voulez-vous, veux-tu, puis-je, est-ce, quel, quelle, quels, quelles, quand, pourquoi, comment',
  'debo, quieres, puedo, cuál, qué, cuándo, dónde, por qué, cómo',
  'devo, vuoi, posso, quale, quando, dove, perché, come',
  'zal ik, wil je, mag ik, welke, wat, wanneer, waar, waarom, hoe',
  'quer que, posso, qual, quando, onde, por que',
];
const OPENS_QUESTION = new RegExp(
  `^[\\s*_~"'“(–-]*(?:${OPENERS.join(',')
    .split(',')
    .map((words) => words.trim())
    .join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);
/** What asks for an answer wherever in a sentence it stands. */
const ASKS_FOR_ANSWER =
  /\b(?:let me know|tell me (?:if|whether|which|what|how)|say which|your call|up to you|please (?:choose|confirm|decide)|do you want|would you like|should i|shall i)\b/i;

/**
 * Whether a text asks its reader something (K14): a yes after it may answer that, so no open card is
 * shown again behind it. Code, links and quotations ask nothing. In doubt it is a question: then
 * only an explicit number decides, and nothing is lost.
 */
export function asksSomething(text: string): boolean {
  const prose = text
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .replace(/^ {0,3}>.*$/gm, ' ');
  if (QUESTION.test(prose) || ASKS_FOR_ANSWER.test(prose)) return true;
  return prose.split(/(?<=[.!…:;])\s+|\n+/u).some((sentence) => OPENS_QUESTION.test(sentence));
}
