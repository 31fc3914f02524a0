import { expandShortcodes, NO_EMOJI_IN_TEXT, undressEmoji, YES_EMOJI } from './emoji.ts';
import { saysTheSame, unlinkMentions } from './formatted.ts';

/** R2: a decision is short. Code points, after trimming. */
export const MAX_DECISION_LENGTH = 120;

/** Names that the bot answers to (R13). */
export const BOT_NAMES: readonly string[] = ['oikos', 'nomos'];

export type Clean =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** Plain text of a message, or why it is more than that (R1). Keeps case and line breaks. */
export function cleanText(body: string, formattedBody?: string): Clean {
  const spaced = plainSpaces(body).normalize('NFC');
  // Before trimming: trim() would take a byte order mark away unseen.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(spaced.replaceAll('\n', '')))
    return no('it has hidden characters');
  const text = spaced.trim();
  if (text === '') return no('it is empty');
  if (/^\s*>/m.test(text)) return no('it quotes something');
  if (/["“”„‟«»‹›`<>|~]/u.test(text)) return no('it has quotation marks, code or other marks');
  if (formattedBody !== undefined && !saysTheSame(text, formattedBody))
    return no('its formatted text is more than its plain text');
  return { ok: true, text };
}

/**
 * Clean text as the grammar reads it: lower case, emoji undressed, addressed to the bot or to
 * nobody, only characters that decisions are written with (R1, R13). No NFKC folding: full-width
 * and mathematical letters are look-alikes.
 */
export function readableText(clean: string, names: readonly string[]): Clean {
  if ([...clean].length > MAX_DECISION_LENGTH) return no('it is longer than a decision');
  const undressed = undressEmoji(unwrapEmphasis(unlinkMentions(clean)))
    .toLowerCase()
    .replaceAll('’', "'");
  const text = withoutCommandMark(withoutAddress(expandShortcodes(undressed), names));
  if (/[?¿]/.test(text)) return no('it asks a question');
  if (/\.{2,}/.test(text)) return no('it trails off');
  return DECISION_CHARACTERS.test(text) ? { ok: true, text } : no('it has unusual characters');
}

/** A reply without the lines that quote what it answers. Only for events with m.in_reply_to. */
export function stripReplyFallback(body: string): string {
  return body.replace(/^(?:>[^\n]*(?:\n|$))+\n?/, '');
}

const EMOJI = [...YES_EMOJI, ...NO_EMOJI_IN_TEXT].join('');
/** Latin letters of the seven languages, digits, basic punctuation, the emoji list. */
const DECISION_CHARACTERS = new RegExp(
  `^[a-z0-9àáâãäçèéêëìíîïñòóôõöùúûüÿœæß\\s.,!¡:;'#/+&@–—${EMOJI}-]*$`,
  'u',
);

function plainSpaces(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[\p{Zs}\t]/gu, ' ');
}

function unwrapEmphasis(text: string): string {
  return text.replace(/^(\*\*|__|\*|_)([^*_\n]+)\1$/u, '$2');
}

/** The text without the bot's name before or after it (R13); any case. */
export function withoutAddress(text: string, names: readonly string[]): string {
  const name = `@?(?:${names.map(escapeRegExp).join('|')})`;
  const full = `@(?:${names.map(escapeRegExp).join('|')}):[a-z0-9.-]+(?::\\d+)?`;
  const before = new RegExp(
    `^(?:(?:hey|hi|hello|ok) )?(?:${full}|${name})(?:[,:]+\\s*|\\s+)`,
    'iu',
  );
  const after = new RegExp(`[,\\s]+(?:${full}|${name})([.!]?)$`, 'iu');
  return text.replace(before, '').replace(after, '$1');
}

/** Only what takes back may look like a command: "!approve" is also how some write "not". */
function withoutCommandMark(text: string): string {
  return text.replace(/^[!/](?=(?:deny|reject|cancel|stop)(?:\s|$))/, '');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function no(why: string): Clean {
  return { ok: false, why };
}
