/** Share of a model's context at which the history is compacted. */
const COMPACT_AT = 0.7;
/** Weight of the newest measurement in a calibration. */
const NEWEST_WEIGHT = 0.2;

// Characters per token, measured: English prose 4.3, listings 2.1, JSON 1.7, Chinese 1.2.
const PROSE = 4.3;
const SYMBOLS = 1.6;
const WIDE = 1.2;

/**
 * Tokens that `text` will cost, without a tokenizer: prose, figures and symbols, and wide scripts
 * weigh differently. `calibration` is the model's factor from `calibrate`.
 */
export function estimateTokens(text: string, calibration = 1): number {
  let prose = 0;
  let symbols = 0;
  let wide = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x2e7f) wide += 1;
    else if (/[\p{L}\s]/u.test(character)) prose += 1;
    else symbols += 1;
  }
  return Math.ceil((prose / PROSE + symbols / SYMBOLS + wide / WIDE) * calibration);
}

/** The next factor for a model, from what was estimated (uncalibrated) and what it really cost. */
export function calibrate(factor: number, estimated: number, measured: number): number {
  if (estimated <= 0 || measured <= 0) return factor;
  const next = (1 - NEWEST_WEIGHT) * factor + NEWEST_WEIGHT * (measured / estimated);
  return Math.min(4, Math.max(0.25, next));
}

/** Whether a prompt of this size leaves too little of the model's context. */
export function shouldCompact(promptTokens: number, contextTokens: number): boolean {
  return promptTokens >= contextTokens * COMPACT_AT;
}
