import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable } from '../shared/printable.ts';

/** The person at the keyboard, as commands see them. */
export interface Terminal {
  /** Whether questions can be answered. */
  readonly interactive: boolean;
  /** Results. */
  say(line: string): void;
  /** Why something failed. */
  complain(line: string): void;
  /** @returns the answer without its spaces, empty when input has ended. */
  ask(question: string): Promise<string>;
  /** The same without showing what is typed. */
  askHidden(question: string): Promise<string>;
  /** The first line of what is piped in. */
  readLine(): Promise<string>;
}

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
  /** Questions and complaints, so that `--print` can be piped while a person is asked. */
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Everything shown passes printable(): what hosts and servers say is shown, never obeyed. */
export function openTerminal(streams: TerminalStreams): Terminal {
  const { input, output, errors } = streams;
  return {
    interactive: input.isTTY === true && errors.isTTY === true,
    say: (line) => void output.write(`${printable(line, { newlines: true })}\n`),
    complain: (line) => void errors.write(`${printable(line, { newlines: true })}\n`),
    async ask(question) {
      errors.write(`${printable(question, { newlines: true })} `);
      return (await readOneLine({ input, terminal: false })).trim();
    },
    async askHidden(question) {
      errors.write(`${printable(question, { newlines: true })} `);
      const line = await readOneLine({ input, output: nowhere(), terminal: true });
      errors.write('\n');
      return line;
    },
    readLine: () => readOneLine({ input, terminal: false }),
  };
}

/** Ctrl-C was pressed at a question. */
export class QuestionInterrupted extends Error {
  override readonly name = 'QuestionInterrupted';

  constructor() {
    super('stopped at a question');
  }
}

function readOneLine(
  options: Parameters<typeof createInterface>[0] & { readonly terminal: boolean },
): Promise<string> {
  const lines = createInterface(options);
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => {
      reject(new QuestionInterrupted());
      lines.close();
    });
    lines.once('close', () => resolve(''));
  });
}

/** Where the echo of a password goes. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
