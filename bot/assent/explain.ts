import { typedSentence } from '../../shared/domain/approval.ts';
import { byNumber, isDestructive, type OpenCard } from './assessment.ts';
import { steps, tokens } from './lex.ts';
import { LEXICONS } from './phrases.ts';

/**
 * A message that begins with a yes, a no, "confirm" or a destructive card's verb may have been
 * meant as a decision.
 */
export function looksLikeDecision(text: string, verbs: readonly string[] = []): boolean {
  const lower = text.toLowerCase();
  if (/^\W*(?:i\s+)?(?:\w+\s+)?(?:confirm|approve)/.test(lower)) return true;
  if (verbs.some((verb) => lower.startsWith(`${verb.toLowerCase()} `))) return true;
  // "run uptime on lxc:web" is a request; "run it" is read as a decision before it comes here.
  if (/^(?:please )?(?:run|do|start|execute|restart)\b/.test(lower)) return false;
  const head = lower.replaceAll('’', "'").slice(0, 60);
  const words = /^[!/.,;:\s-]*([\p{L}\p{Extended_Pictographic}' ,-]*)/u.exec(head)?.[1] ?? '';
  const start = tokens(words.replace(/[ ,-]+$/, '')) ?? [];
  return LEXICONS.some((lexicon) => steps(start, 0, lexicon)[0]?.item.is === 'act');
}

/** `I read that as a change of plan: nothing ran; #1 is still open.` */
export function nothingRan(because: string, cards: readonly OpenCard[]): string {
  return `${because}: nothing ran; ${stillOpen(cards)}`;
}

/** What waits and what to say: `#7 is still open: say yes #7.` */
export function stillOpen(cards: readonly OpenCard[]): string {
  const plain = cards.filter((card) => !isDestructive(card));
  const left = [listNamed(plain), ...cards.filter(isDestructive).map(howToConfirm)].filter(Boolean);
  const verb = cards.length > 1 ? 'are' : 'is';
  const say =
    plain.length > 0 ? ` (say ${plain.map(({ number }) => `yes #${number}`).join(' or ')})` : '';
  const [head, ...rest] = left;
  return plain.length > 0
    ? `${[`${head}${say}`, ...rest].join(' and ')} ${verb} still open.`
    : `${left.join(' and ')} ${verb} still open.`;
}

/** `#7 restart nginx on lxc:web and #8 apt upgrade on lxc:dns`: which number is which (R8). */
function listNamed(cards: readonly OpenCard[]): string {
  const named = byNumber(cards).map(({ number, what }) =>
    what === undefined ? `#${number}` : `#${number} ${what}`,
  );
  const head = named.slice(0, -1).join(', ');
  return head === '' ? named.join('') : `${head} and ${named.at(-1)}`;
}

/** `#2 (type "I confirm destroy 135")` */
export function howToConfirm(card: OpenCard): string {
  return card.phrase === null
    ? `#${card.number}`
    : `#${card.number} (type "${typedSentence(card.phrase)}")`;
}
