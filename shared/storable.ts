/**
 * Text as Postgres takes it: NUL and half characters (lone surrogates) become U+FFFD. One such
 * character would otherwise fail the whole transaction that carries it.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** The same for every text in a plain value, names of fields included. */
export function storableValue<T>(value: T): T {
  return cleaned(value) as T;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    storableText(name),
    cleaned(inner),
  ]);
  return Object.fromEntries(entries);
}
