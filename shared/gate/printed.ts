import type { ParsedScript, Pipeline, Redirection, Statement } from 'unbash';

type Runnable = Statement['command'];

/** What a substitution prints is an address, the name of a network card or numbers: never an option. */
export function printsNoOption(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  if (statement === undefined || more.length > 0 || statement.background) return false;
  const line = lineOf(withoutTrue(statement.command));
  return line !== undefined && PLAIN.some((form) => form.test(line));
}

const FIRST = String.raw`( \| head (-1|-n ?1))?`;
// Lines may be picked; a pattern that is any expression could set the very field that is printed.
const PICK = String.raw`(/\^?\w[\w .]*/|NR ?== ?1|\$1 ?== ?"\w+") ?`;
const AWK = String.raw`awk '(${PICK})?\{ ?print \$(3|5|NF)( ?; ?exit)? ?\}'`;
const CUT = "cut -d ?' ' -f ?(3|5)";
const ROUTE = 'ip( -4| -6)? r(o|ou|out|oute)?( (s|show|list|ls))?( default| 0/0)?';
// What the kernel's table of routes holds, and the machine's own addresses.
const PLAIN: readonly RegExp[] = [
  new RegExp(
    String.raw`^${ROUTE}( \| grep (-m ?1 )?["']?\^?default["']?)?${FIRST} \| (${AWK}|${CUT})${FIRST}$`,
  ),
  // Numbers of processes.
  /^(pidof( -s)?( \w[\w.-]*)+|pgrep( -[xfno]| -d ?,| -u \w[\w-]*)*( \w[\w.-]*)?)$/,
  /^hostname -I \| (awk '\{ ?print \$1 ?\}'|cut -d ?' ' -f ?1)$/,
];

/** `pgrep x || true` prints what `pgrep x` does. */
function withoutTrue(node: Runnable): Runnable {
  if (node.type !== 'AndOr' || node.operators.join() !== '||') return node;
  const [first, second] = node.commands;
  return first && second && lineOf(second) === 'true' ? first : node;
}

/** The words of a plain command or pipe as they are written. */
function lineOf(node: Runnable): string | undefined {
  if (node.type === 'Pipeline') return pipeLine(node);
  if (node.type !== 'Command' || node.prefix.length > 0 || node.name === undefined)
    return undefined;
  if (!node.redirects.every(isSilencer)) return undefined;
  return [node.name, ...node.args].map((word) => word.text).join(' ');
}

function pipeLine(pipeline: Pipeline): string | undefined {
  if (pipeline.operators.some((operator) => operator !== '|')) return undefined;
  const lines = pipeline.commands.map(lineOf);
  return lines.includes(undefined) ? undefined : lines.join(' | ');
}

/** `2>/dev/null`. */
function isSilencer(redirect: Redirection): boolean {
  return (
    redirect.type === 'Redirect' &&
    redirect.operator === '>' &&
    redirect.target?.value === '/dev/null'
  );
}
