const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
/** CSI, OSC (ended by BEL or ESC backslash), and the short ones. */
const SEQUENCES = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[ -/]*[0-~])`,
  'g',
);

/** Colours, cursor movements and window titles, taken out. */
export function stripAnsi(text: string): string {
  return text.replace(SEQUENCES, '');
}

/** What a terminal would show of a line that went back to its start: only the last state. */
export function foldLine(line: string): string {
  const trimmed = withoutLastReturns(line);
  return trimmed.slice(trimmed.lastIndexOf('\r') + 1);
}

/** By hand: the pattern for it takes quadratic time on a line that is full of them. */
function withoutLastReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

/** Whole lines out of a stream's pieces; a line still open stays behind. */
export interface LineFolder {
  /** The complete lines so far, folded and without terminal sequences. */
  write(text: string): string;
  /**
   * What follows is not what came next. The line that was open is dropped, and of what follows all
   * that may be the rest of a secret whose beginning is missing.
   */
  gap(): void;
  end(): string;
}

/** A longer line is passed on in pieces. */
const LONGEST_LINE = 16 * 1024;

/**
 * Lines are kept whole because what redaction recognises lies within one; a private key lies
 * between two, and is kept together too.
 */
export function createLineFolder(): LineFolder {
  let open = '';
  let resuming = false;
  const resume = () => {
    open = afterGap(open);
    resuming = false;
  };
  return {
    gap() {
      open = '';
      resuming = true;
    },
    write(text) {
      open += text;
      if (resuming) {
        if (open.length < LONGEST_LINE) return '';
        resume();
      }
      open = dropOverwritten(open);
      const end = endOfWhole(open);
      const whole = open.slice(0, end);
      open = open.slice(end);
      return foldAll(whole);
    },
    end() {
      if (resuming) resume();
      const rest = foldAll(open);
      open = '';
      return rest;
    },
  };
}

/** Begins with the first whole line, and not within a private key. */
function afterGap(text: string): string {
  const keyEnd = text.indexOf('-----END ');
  const keyBegin = text.indexOf('-----BEGIN ');
  const inKey = keyEnd !== -1 && (keyBegin === -1 || keyEnd < keyBegin);
  const newline = text.indexOf('\n', inKey ? keyEnd : 0);
  return newline === -1 ? '' : text.slice(newline + 1);
}

function endOfWhole(text: string): number {
  const newline = text.lastIndexOf('\n') + 1;
  const begun = text.lastIndexOf('-----BEGIN ');
  const inKey = begun !== -1 && begun < newline && !text.includes('-----END ', begun);
  const end = inKey ? text.lastIndexOf('\n', begun) + 1 : newline;
  return text.length - end > LONGEST_LINE ? text.length : end;
}

/** A progress bar may rewrite one line for ever: only its last state is kept in memory. */
function dropOverwritten(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const shown = withoutLastReturns(line).lastIndexOf('\r') + 1;
  return shown === 0 ? text : text.slice(0, text.length - line.length) + line.slice(shown);
}

function foldAll(text: string): string {
  return stripAnsi(text).split('\n').map(foldLine).join('\n');
}
