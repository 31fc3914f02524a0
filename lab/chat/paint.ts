const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;
export type Colour = keyof typeof CODES;

/** Colours a text, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

export function createPaint(enabled: boolean): Paint {
  return (colour, text) => (enabled && text !== '' ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text);
}

/** https://no-color.org: any value but the empty one switches colours off. */
export function wantsColour(options: {
  readonly noColourFlag: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): boolean {
  const { noColourFlag, env } = options;
  return !noColourFlag && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
