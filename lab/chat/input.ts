/** What a typed line, or a line of a script, asks for. */
export type Input =
  | { readonly kind: 'say'; readonly text: string }
  /** Without a number: the newest card. */
  | { readonly kind: 'react'; readonly key: string; readonly card: number | undefined }
  | { readonly kind: 'reply'; readonly card: number | undefined; readonly text: string }
  /** Without a number: back to the room. */
  | { readonly kind: 'thread'; readonly card: number | undefined }
  | { readonly kind: 'history' }
  | { readonly kind: 'help' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wrong'; readonly complaint: string };

export const INPUT_HELP = [
  'Type what you want; Nomos reads it. And:',
  '  /react 👍        reacts to the newest card (/react #2 👍 to card 2)',
  '  /reply #2 yes    replies to card 2 (/reply yes to the newest card)',
  '  /thread #2       goes into the thread below card 2; /thread leaves it',
  '  /history         shows the last messages again',
  '  /quit            ends the demo, as Ctrl-C does',
].join('\n');

/** A line that begins with a slash is for the terminal; `//` says a slash. */
export function parseInput(line: string): Input {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (text.startsWith('//')) return { kind: 'say', text: text.slice(1) };
  if (!text.startsWith('/') || /^\/\S*\//.test(text)) return { kind: 'say', text };
  const [, command = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const { card, words } = readCard(rest);
  switch (command) {
    case 'react':
      return words === ''
        ? { kind: 'wrong', complaint: 'Which reaction? For example /react 👍' }
        : { kind: 'react', key: words, card };
    case 'reply':
      return words === ''
        ? { kind: 'wrong', complaint: 'What shall the reply say? For example /reply #2 yes' }
        : { kind: 'reply', card, text: words };
    case 'thread':
      return { kind: 'thread', card };
    case 'history':
    case 'help':
    case 'quit':
      return { kind: command };
    default:
      return { kind: 'wrong', complaint: `There is no /${command}. /help shows what there is.` };
  }
}

function readCard(rest: string): { card: number | undefined; words: string } {
  const [, digits, words = ''] = /^#?(\d+)(?:\s+([\s\S]*))?$/.exec(rest) ?? [];
  return digits === undefined
    ? { card: undefined, words: rest.trim() }
    : { card: Number(digits), words: words.trim() };
}
