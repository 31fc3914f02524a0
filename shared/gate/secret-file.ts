/** Where one application keeps what must not be read out, by the end of the path. */
export interface SecretFile {
  readonly app: string;
  readonly form: RegExp;
  /** A usual place: asked for by a test, and a pattern that can become it counts. */
  readonly example: string;
}

/** One line of the table. */
export function keeps(app: string, form: RegExp, example: string): SecretFile {
  return { app, form, example };
}
