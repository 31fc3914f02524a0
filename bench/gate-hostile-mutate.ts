import { parse } from 'unbash';

/** Numbers from 0 up to 1, one after another. */
export type Chance = () => number;

const PLAIN_LINE = /^[\w./:@%+-]+(?: [\w./:=@%+-]+)*$/;

/**
 * Whether a hostile line stays the same command when something stands around it: it is whole (no open
 * quote that a neighbour would close) and no comment or here-document swallows what follows.
 */
export function canBeWrapped(line: string): boolean {
  if (/[#\n\r\0]|<<|\\$|^\s|\s$|;$|&$/.test(line) || line.length > 300) return false;
  const script = parse(line);
  return script.commands.length === 1 && !script.errors?.length;
}

/**
 * The same deed in other words: the line's words quoted, split, held in variables; started by other
 * programs; within loops, substitutions and chains. When `chance` only gives 0 nothing changes.
 */
export function disguise(line: string, chance: Chance): string {
  const pick = picker(chance);
  let text = PLAIN_LINE.test(line) ? respelled(line, chance, pick) : line;
  if (PLAIN_LINE.test(line)) text = pick(['', ...PREFIXES]) + text;
  const times = Math.floor(chance() * 3);
  for (let i = 0; i < times; i++) text = pick(WRAPPINGS)(text);
  return text;
}

type Pick = <T>(from: readonly T[]) => T;

function picker(chance: Chance): Pick {
  return (from) => {
    const found = from[Math.floor(chance() * from.length)];
    if (found === undefined) throw new NothingToPick();
    return found;
  };
}

/** A list of possibilities was empty. */
class NothingToPick extends Error {
  override readonly name = 'NothingToPick';
}

/** The words spelled otherwise; some of them held in variables that are set before. */
function respelled(line: string, chance: Chance, pick: Pick): string {
  const words = line.split(' ');
  if (chance() > 0.95 && words.length > 1 && !/,|\.\./.test(line)) return `{${words.join(',')}}`;
  const set: string[] = [];
  const spelled = words.map((word, index) => {
    if (chance() > 0.93) {
      set.push(`v${index}=${quoted(word)}`);
      return pick([`$v${index}`, `"$v${index}"`, `"\${v${index}}"`]);
    }
    return chance() > 0.4 ? pick(SPELLINGS)(word, chance) : word;
  });
  const body = spelled.reduce((text, word) => text + pick(BLANKS) + word);
  return [...set, body].join(pick(['; ', '\n', ' ; ']));
}

const BLANKS = [' ', '  ', '\t', ' \\\n', '\t\t'] as const;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

type Spelling = (word: string, chance: Chance) => string;

/** Puts a piece that stands for nothing somewhere into the word. */
function inserted(piece: string): Spelling {
  return (word, chance) => {
    const at = 1 + Math.floor(chance() * (word.length - 1));
    return word.slice(0, at) + piece + word.slice(at);
  };
}

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0');
const octal = (char: string): string => char.charCodeAt(0).toString(8).padStart(3, '0');

function eachCoded(code: (char: string) => string): Spelling {
  return (word, chance) =>
    `$'${[...word].map((char) => (chance() > 0.5 ? code(char) : char)).join('')}'`;
}

const SPELLINGS: readonly Spelling[] = [
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  inserted("''"),
  inserted('""'),
  inserted('\\\n'),
  inserted("$''"),
  inserted('$""'),
  inserted('"$\\\n(true)"'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  inserted('${unset_here:-}'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  inserted('${unset_here}'),
  inserted('$(true)'),
  inserted('`true`'),
  inserted('"$(true)"'),
  inserted('$@'),
  (word) => word.replace(/[a-z]/g, '\\$&'),
  (word, chance) => [...word].map((char) => (chance() > 0.6 ? `'${char}'` : char)).join(''),
  (word, chance) => [...word].map((char) => (chance() > 0.6 ? `"${char}"` : char)).join(''),
  eachCoded((char) => `\\x${hex(char)}`),
  eachCoded((char) => `\\${octal(char)}`),
  eachCoded((char) => `\\u00${hex(char)}`),
];

/** Programs that start another one with the same rights, on the same machine. */
const PREFIXES: readonly string[] = [
  'sudo ',
  'sudo -n ',
  'sudo -u root ',
  'doas ',
  'env ',
  'env LC_ALL=C ',
  '/usr/bin/env ',
  'timeout 5 ',
  'timeout -k 1 5 ',
  'nice ',
  'nice -n 5 ',
  'ionice -c3 ',
  'nohup ',
  'setsid ',
  'stdbuf -oL ',
  'time ',
  'command ',
  'exec ',
  'builtin command ',
  '\\sudo ',
  'xargs ',
  'xargs -r -n1 ',
  'watch ',
  'chroot / ',
  'unshare ',
  'systemd-run --pipe ',
  'LC_ALL=C ',
  'TZ=UTC env ',
  'sudo nice timeout 9 ',
  '</dev/null ',
  '2>/dev/null ',
];

/** Surroundings in which the line still runs as it is. */
const WRAPPINGS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `ls; ${line}`,
  (line) => `df -h && ${line}`,
  (line) => `false || ${line}`,
  (line) => `uptime\n${line}`,
  (line) => `true | ${line}`,
  (line) => `${line}; ls`,
  (line) => `${line} && df -h`,
  (line) => `${line} || true`,
  (line) => `${line}\nuptime`,
  (line) => `${line} | cat`,
  (line) => `${line} | grep -c x`,
  (line) => `${line} &`,
  (line) => `${line} >/dev/null 2>&1`,
  (line) => `${line} 2>/dev/null`,
  (line) => `( ${line} )`,
  (line) => `{ ${line}\n}`,
  (line) => `! ${line}`,
  (line) => `if ${line}\nthen :; fi`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `if false; then :; else ${line}\nfi`,
  (line) => `while ${line}\ndo break; done`,
  (line) => `until ${line}\ndo break; done`,
  (line) => `for i in 1 2; do ${line}\ndone`,
  (line) => `case x in x) ${line}\n;; esac`,
  (line) => `echo $( ${line} )`,
  (line) => `echo "$( ${line} )"`,
  (line) => `echo "a $(echo "$( ${line} )") b"`,
  (line) => `x=$( ${line} )`,
  (line) => `cat <( ${line} )`,
  (line) => `ls > >( ${line} )`,
  (line) => `[[ -n $( ${line} ) ]]`,
  (line) => `[ -n "$( ${line} )" ]`,
  (line) => `cat <<E\n$( ${line} )\nE`,
  (line) => `cat <<< "$( ${line} )"`,
  // biome-ignore lint/style/useTemplate: shell text reads better in one piece
  (line) => 'echo ${x:-$( ' + line + ' )}',
  (line) => `f() { ${line}\n}; f`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `sh -c ${quoted(line)}`,
  (line) => `bash -lc ${quoted(line)}`,
  (line) => `sudo bash -c ${quoted(line)}`,
  (line) => `env -i bash -c ${quoted(line)}`,
  (line) => `timeout 9 sh -c ${quoted(line)}`,
  (line) => `su -c ${quoted(line)}`,
  (line) => `ssh pve2 ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `echo ${quoted(line)} | bash`,
  (line) => `bash <<< ${quoted(line)}`,
  (line) => `bash <<'E'\n${line}\nE`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `find /etc -maxdepth 0 -exec sh -c ${quoted(line)} \\;`,
  (line) => `echo x | xargs -I{} sh -c ${quoted(line)}`,
];
