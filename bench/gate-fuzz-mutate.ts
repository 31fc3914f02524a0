/** Pieces of hostile shell, thrown into everyday lines. `evil` is the program that must never run. */
const FRAGMENTS: readonly string[] = [
  'evil',
  ' evil ',
  ';evil',
  '\nevil',
  '&evil',
  '|evil',
  '&&evil',
  '||evil',
  '|&evil',
  '(evil)',
  '{ evil; }',
  '! evil',
  '$(evil)',
  '"$(evil)"',
  "'$(evil)'",
  '`evil`',
  '"`evil`"',
  '\\$(evil)',
  '\\`evil\\`',
  '<(evil)',
  '>(evil)',
  '2<(evil)',
  '$[evil]',
  '$((evil))',
  '$((x[$(evil)]))',
  "$(('$(evil)'))",
  '((evil))',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${x:-$(evil)}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  "${x:-'$(evil)'}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${x[$(evil)]}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${x/$(evil)/}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${x:$(evil)}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${x@P}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${!x}',
  '<<E\n$(evil)\nE\n',
  "<<'E'\n$(evil)\nE\n",
  '<<<$(evil)',
  '<<-E\n\tE\n',
  '<<E',
  '>x',
  '>>x',
  '2>x',
  '&>x',
  '>|x',
  '<>x',
  '>&x',
  '{fd}>x',
  '>/tmp/x',
  '>/dev/null',
  '2>&1',
  '</dev/null',
  '</dev/null evil',
  '>/dev/null evil',
  ' -o x',
  ' -ox',
  ' --output=x',
  ' -exec evil ;',
  ' -exec evil {} +',
  ' -fprint x',
  ' -i.bak',
  " -e 'w x'",
  " 's/a/b/w x'",
  " '1e evil'",
  ' \'BEGIN{system("evil")}\'',
  ' \'{print > "x"}\'',
  ' -I{} evil',
  ' sh -c evil',
  ' env evil',
  ' timeout 1 evil',
  ' nice evil',
  ' xargs evil',
  'sudo evil',
  'command evil',
  'exec evil',
  'eval evil',
  'builtin eval evil',
  'time evil',
  'coproc evil',
  'trap evil EXIT;',
  'evil(){ :;};',
  'alias ls=evil;',
  'x=$(evil)',
  'a=b evil',
  'PATH=/x evil',
  'if evil; then :; fi',
  'while evil; do break; done',
  'for i in $(evil); do :; done',
  'case x in x) evil;; esac',
  '[[ -n $(evil) ]]',
  '[[ x -eq a[$(evil)] ]]',
  '[ -n "$(evil)" ]',
  'ev\\\nil',
  "ev''il",
  'e\\vil',
  '"evil"',
  "$'evil'",
  "$'\\x65vil'",
  '{evil,}',
  '{,evil}',
  '/bin/evil',
  './evil',
  '"$\\\n(evil)"',
  '$\\\n(evil)',
  '\\\n',
  '\\',
  '"',
  "'",
  '`',
  '$',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  ';',
  '&',
  '|',
  '<',
  '>',
  '#',
  ' #',
  '!',
  '~',
  '*',
  '?',
  '\n',
  '\t',
  '\r',
  ' ',
  '=',
  '$x',
  "$'",
  '$"',
  '"\'',
  '\'"',
  "$'\\''",
  ';;',
  '*)',
  '@(',
  '$@',
  ' do ',
  ' done',
  ' then ',
  ' fi',
];

/** Numbers below 1 that look random and are the same for the same seed (xorshift). */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** One everyday line with one to three things done to it. */
export function mutate(lines: readonly string[], chance: () => number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(chance() * from.length)] ?? '';
  let text = pick(lines);
  const times = 1 + Math.floor(chance() * 3);
  for (let i = 0; i < times; i++) text = change(text, lines, chance, pick);
  return text.replaceAll('\0', '');
}

function change(
  text: string,
  lines: readonly string[],
  chance: () => number,
  pick: (from: readonly string[]) => string,
): string {
  const way = chance();
  const at = Math.floor(chance() * (text.length + 1));
  if (way < 0.7) return text.slice(0, at) + pick(FRAGMENTS) + text.slice(at);
  if (way < 0.8) return text.slice(0, at) + text.slice(at + 1 + Math.floor(chance() * 3));
  if (way < 0.9) {
    const other = pick(lines);
    return text.slice(0, at) + other.slice(Math.floor(chance() * other.length));
  }
  return text + pick(FRAGMENTS) + pick(lines);
}
