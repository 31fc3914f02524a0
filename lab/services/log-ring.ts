import { StringDecoder } from 'node:string_decoder';

/** The last lines a process wrote, for the message shown when it fails. */
export interface LogRing {
  write(chunk: Buffer): void;
  tail(): string;
}

export function createLogRing(maxLines = 40, maxLineChars = 2_000): LogRing {
  const decoder = new StringDecoder('utf8');
  let lines: string[] = [];
  let open = '';
  return {
    write(chunk) {
      const parts = (open + decoder.write(chunk)).split('\n');
      open = (parts.pop() ?? '').slice(0, maxLineChars);
      lines = [...lines, ...parts.map((line) => line.slice(0, maxLineChars))].slice(-maxLines);
    },
    tail: () => [...lines, open].filter((line) => line !== '').join('\n'),
  };
}
