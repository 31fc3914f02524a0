/** A value that no line of an .env file can hold. */
export class UnwritableValue extends Error {
  override readonly name = 'UnwritableValue';

  constructor(name: string) {
    super(`the value for ${name} has a line break or a quote in it`);
  }
}

/**
 * An .env file's text with these variables set; all other lines stay as they are. A set variable is
 * replaced where it stands, every time it is set; else its commented example; else it is appended.
 * @throws UnwritableValue
 */
export function setVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables).reduce(
    (lines, [name, value]) => setVariable(lines, name, value),
    text,
  );
}

function setVariable(text: string, name: string, value: string): string {
  const line = `${name}=${quoted(name, value)}`;
  const lines = text.split('\n');
  const active = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`);
  if (lines.some((old) => active.test(old))) {
    return lines.map((old) => (active.test(old) ? line : old)).join('\n');
  }
  const example = lines.findIndex((old) => new RegExp(`^\\s*#\\s*${name}\\s*=`).test(old));
  if (example >= 0) return lines.with(example, line).join('\n');
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${before}${line}\n`;
}

/** Single quotes keep all as it is; between double ones Node would make a line break of `\n`. */
function quoted(name: string, value: string): string {
  if (/^[\w.:/@+~=,-]*$/.test(value)) return value;
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  if (/["\\\r\n]/.test(value)) throw new UnwritableValue(name);
  return `"${value}"`;
}
