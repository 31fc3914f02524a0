/** Runs a local program to its end and collects what it said. */
import { spawn } from 'node:child_process';

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Never rejects over an exit code; a program that does not exist answers 127. */
export function runCommand(
  program: string,
  args: readonly string[],
  input = '',
): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve({ code: 127, stdout, stderr: error.message });
      else reject(error);
    });
    child.once('close', (code) => resolve({ code: code ?? 255, stdout, stderr }));
  });
}
