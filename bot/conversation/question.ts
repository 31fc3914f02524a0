/** Question marks of the scripts that people and models write in. */
const QUESTION = /[?？؟](?=[\s"'”’»)\]*_~`.,:!?]|$)/u;

/**
 * Whether a text asks its reader something (K14): a yes after it may answer that, so no open card is
 * shown again behind it. Code, links and quotations ask nothing.
 */
export function asksSomething(text: string): boolean {
  const prose = text
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .replace(/^ {0,3}>.*$/gm, ' ');
  return QUESTION.test(prose);
}
