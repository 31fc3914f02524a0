/** Only short answers are looked at: a long one holds work, whatever phrase it contains. */
const LONGEST_REFUSAL = 400;
const HAN_SHARE = 0.5;

/** How models decline, in the languages seen. Lower case; an answer must begin with one. */
export const REFUSAL_PHRASES: readonly string[] = [
  "i'm sorry, but i can't",
  'i’m sorry, but i can’t',
  "i'm sorry, i can't",
  'i am sorry, but i cannot',
  'sorry, but i can',
  "i can't assist with",
  'i can’t assist with',
  'i cannot assist with',
  "i can't help with that",
  'i can’t help with that',
  'i cannot help with that',
  'i am unable to assist',
  "i'm unable to assist",
  'as an ai language model',
  'as a language model',
  'es tut mir leid, aber ich kann',
  'je suis désolé, mais je ne peux',
  'lo siento, pero no puedo',
  '抱歉，我无法',
  '对不起，我无法',
  '很抱歉，我不能',
];

/**
 * Whether a short answer without calls only declines: it begins with one of `phrases`, or it is
 * written in Chinese to an operator who wrote none, which is how some models drift when filtered.
 */
export function isRefusal(
  answer: string,
  operatorText: string,
  phrases: readonly string[] = REFUSAL_PHRASES,
): boolean {
  const said = answer.trim().toLowerCase();
  if (said === '' || said.length > LONGEST_REFUSAL) return false;
  return phrases.some((phrase) => said.startsWith(phrase)) || drifted(said, operatorText);
}

function drifted(answer: string, operatorText: string): boolean {
  return hanShare(answer) > HAN_SHARE && hanShare(operatorText) === 0;
}

/** Share of Chinese characters among the letters. */
function hanShare(text: string): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return letters === 0 ? 0 : han / letters;
}
