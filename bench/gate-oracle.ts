import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a real shell did with a line. */
export interface Deed {
  /** Names of the programs it started, also those it did not find. */
  readonly started: ReadonlySet<string>;
  /** Files in its directory afterwards, which was empty before. */
  readonly written: readonly string[];
}

const AT_ONCE = 4;
const LIMIT_MS = 2_000;

/** The commands that bash carries out without starting a program. */
export function builtins(): ReadonlySet<string> {
  const said = execFileSync('bash', ['--noprofile', '--norc', '-c', 'compgen -b'], {
    encoding: 'utf8',
  });
  return new Set(said.split('\n').filter((name) => name !== ''));
}

/**
 * Runs each line by real bash in an empty directory, where every program on the PATH only notes its own
 * name. It needs no rights and no namespaces; what a line does outside its directory is not seen.
 */
export async function deedsOf(
  lines: readonly string[],
  programs: readonly string[],
): Promise<readonly Deed[]> {
  const root = mkdtempSync(join(tmpdir(), 'gate-oracle-'));
  try {
    const stubs = join(root, 'bin');
    mkdirSync(stubs);
    for (const name of new Set(programs)) {
      if (!/^\w[\w.+-]*$/.test(name)) continue;
      writeFileSync(join(stubs, name), `#!/bin/sh\necho ${name} >> "$ORACLE_LOG"\n`);
      chmodSync(join(stubs, name), 0o755);
    }
    const deeds: Deed[] = [];
    const queue = lines.entries();
    const worker = async (): Promise<void> => {
      for (const [index, line] of queue) deeds[index] = await deedOf(line, index, root, stubs);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return deeds;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function deedOf(line: string, index: number, root: string, stubs: string): Promise<Deed> {
  const folder = join(root, `work${index}`);
  const log = join(root, `log${index}`);
  mkdirSync(folder);
  writeFileSync(log, '');
  const env = {
    PATH: stubs,
    HOME: folder,
    ORACLE_LOG: log,
    'BASH_FUNC_command_not_found_handle%%': '() { echo "$1" >> "$ORACLE_LOG"; return 127; }',
  };
  // How the line ends says nothing here: programs that do nothing make many of them fail.
  await promisify(execFile)('/bin/bash', ['--noprofile', '--norc', '-c', line], {
    cwd: folder,
    env,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  }).catch(() => undefined);
  const started = readFileSync(log, 'utf8')
    .split('\n')
    .filter((name) => name !== '');
  return { started: new Set(started), written: readdirSync(folder) };
}
