/** R11: the emoji that decide, as text and as reactions. All others are no decision. */
export const YES_EMOJI = ['👍', '👌', '✅', '✔', '☑', '🆗'] as const;
export const NO_EMOJI = ['👎', '❌', '🚫', '🛑'] as const;
/** In text only: a raised hand reads as "stop", but a card does not offer it. */
export const NO_EMOJI_IN_TEXT = [...NO_EMOJI, '✋'] as const;

const SHORTCODES: Readonly<Record<string, string>> = {
  '+1': '👍',
  thumbsup: '👍',
  ok_hand: '👌',
  white_check_mark: '✅',
  heavy_check_mark: '✔',
  ballot_box_with_check: '☑',
  ok: '🆗',
  '-1': '👎',
  thumbsdown: '👎',
  x: '❌',
  no_entry_sign: '🚫',
  octagonal_sign: '🛑',
  stop_sign: '🛑',
  raised_hand: '✋',
  hand: '✋',
};

const DRESSED = new RegExp(
  `(${[...YES_EMOJI, ...NO_EMOJI_IN_TEXT].join('|')})(?:[\u{1f3fb}-\u{1f3ff}]|\ufe0f){0,2}`,
  'gu',
);

/** Listed emoji without skin tone and presentation selector; everything else stays as it is. */
export function undressEmoji(text: string): string {
  return text.replace(DRESSED, '$1');
}

/** `:+1:` and the like as their emoji, and a message that is only `+1` or `-1`. */
export function expandShortcodes(text: string): string {
  const whole = /^[+-]1$/.test(text) ? `:${text}:` : text;
  return whole.replace(
    /:([a-z_]+|[+-]1):/g,
    (written, name: string) => SHORTCODES[name] ?? written,
  );
}
