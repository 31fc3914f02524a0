import { execFile } from 'node:child_process';

export type ToolOutcome =
  | { ok: true; stdout: string }
  | { ok: false; missing: boolean; output: string };

/** Runs a program to its end without a shell. Failure is a value: whoever asked says what it means. */
export function runTool(
  command: string,
  args: readonly string[],
  options: {
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    uid?: number;
    gid?: number;
    timeoutMs?: number;
  } = {},
): Promise<ToolOutcome> {
  const { timeoutMs = 600_000, ...rest } = options;
  const settings = { ...rest, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(command, [...args], settings, (error, stdout, stderr) => {
      if (error === null) resolve({ ok: true, stdout });
      else
        resolve({
          ok: false,
          missing: error.code === 'ENOENT',
          output: `${stdout}${stderr}`.trim(),
        });
    });
  });
}

/** The last line that says something: for one-line errors. */
export function lastLine(output: string): string {
  return (
    output
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? 'no output'
  );
}
