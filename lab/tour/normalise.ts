/** What differs between two runs of one conversation and says nothing about Oikos. Pure. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // Cards: when something waits until, or was decided.
  [/\b\d\d:\d\d, \d{1,2} [A-Z][a-z]{2} \(/g, '12:00, 1 Dec ('],
  // systemctl: since when something is active.
  [
    /\bsince [A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; [^.\n]*? ago/g,
    'since Tue 2026-12-01 11:58:00 UTC; 2min 0s ago',
  ],
  // Journals: when, and which process.
  [/\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\w)/g, 'Dec  1 11:58:00 $1'],
  [/(\w)\[(?!1\])\d+\]:/g, '$1[100]:'],
  // How long something took.
  [/\b\d+ min \d+ s\b/g, '1 min 0 s'],
  [/(?<! min )\b\d+(?:\.\d+)? s\b/g, '0.2 s'],
  // The machine's own disk and memory. The lab's full disk is always the same.
  [/\b(?!100 %)\d+ %/g, '15 %'],
  [
    /\b\d+(?:\.\d+)?[GT] of \d+(?:\.\d+)?[GT] used, \d+(?:\.\d+)?[GT] free/g,
    '14G of 94G used, 80G free',
  ],
  [
    /\b\d+(?:\.\d+)?[MGT]i of \d+(?:\.\d+)?[MGT]i memory; \d+(?:\.\d+)?[MGT]i/g,
    '4.0Gi of 16Gi memory; 11Gi',
  ],
];

/** The text with times, durations, percentages, sizes and process ids made the same in every run. */
export function normalise(text: string): string {
  const plain = RULES.reduce((done, [pattern, to]) => done.replaceAll(pattern, to), text);
  // A window has a whole or a half hour: a run that comes a minute later does not matter.
  return plain.replaceAll(/\((\d+) min left\)/g, (_all, minutes: string) => {
    const full = Math.ceil(Number(minutes) / 15) * 15;
    return `(${full} min left)`;
  });
}

/** Numbers of cards as if the conversation were the first one; earlier ones stay. */
export function renumber(text: string, earlier: number): string {
  return text.replaceAll(/#(\d+)\b/g, (all, digits: string) =>
    Number(digits) > earlier ? `#${Number(digits) - earlier}` : all,
  );
}

/** The highest number of a card in the text; 0 without one. */
export function highestNumber(text: string): number {
  return Math.max(0, ...[...text.matchAll(/#(\d+)\b/g)].map(([, digits]) => Number(digits)));
}
