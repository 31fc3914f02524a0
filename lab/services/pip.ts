import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';

/** A way to call pip: `command ...args install …`. */
export interface Pip {
  command: string;
  args: string[];
}

export type FoundPip = { ok: true; pip: Pip } | { ok: false; reason: string };

/** Pinned with its hash, so it does not matter from where the file comes. */
const WHEEL = {
  file: 'pip-25.3-py3-none-any.whl',
  sha256: '9655943313a94722b7774661c21049070f6bbb0a1516bf02f7c8d5d9201514cd',
};
/** Where Debian's python3-pip-whl puts pip. */
const SYSTEM_WHEELS = '/usr/share/python-wheels';

/** pip for a venv made without it: the system's pip, else a wheel of pip that runs by itself. */
export async function findPip(ask: {
  python: string;
  inVenv: string;
  env: NodeJS.ProcessEnv;
  cacheDir: string;
}): Promise<FoundPip> {
  const systemPip = ['-m', 'pip', '--python', ask.inVenv];
  if ((await runTool(ask.python, [...systemPip, '--version'], { env: ask.env })).ok) {
    return { ok: true, pip: { command: ask.python, args: systemPip } };
  }
  const wheel = await systemWheel();
  if (wheel !== null) return { ok: true, pip: runWheel(ask.inVenv, wheel) };
  return downloadWheel(ask);
}

function runWheel(python: string, wheel: string): Pip {
  return { command: python, args: [join(wheel, 'pip')] };
}

async function systemWheel(): Promise<string | null> {
  const names = await readdir(SYSTEM_WHEELS).catch(() => []);
  const name = names.find((file) => /^pip-[\d.]+-py3-none-any\.whl$/.test(file));
  return name === undefined ? null : join(SYSTEM_WHEELS, name);
}

async function downloadWheel(ask: {
  inVenv: string;
  env: NodeJS.ProcessEnv;
  cacheDir: string;
}): Promise<FoundPip> {
  const { PIP_INDEX_URL } = ask.env;
  if (!PIP_INDEX_URL) {
    return { ok: false, reason: 'python3 comes without pip here; install python3-venv' };
  }
  const index = PIP_INDEX_URL.replace(/\/$/, '');
  const reason =
    'python3 comes without pip here, and pip could not be downloaded; install python3-venv';
  try {
    const page = `${index}/pip/`;
    const href = wheelHref(await (await fetchOk(page)).text());
    if (href === null)
      return { ok: false, reason: `${reason} (${WHEEL.file} is not in the index)` };
    const bytes = Buffer.from(await (await fetchOk(new URL(href, page).href)).arrayBuffer());
    if (createHash('sha256').update(bytes).digest('hex') !== WHEEL.sha256) {
      return { ok: false, reason: `${reason} (the file from the index is not the expected one)` };
    }
    await mkdir(ask.cacheDir, { recursive: true });
    const wheel = join(ask.cacheDir, WHEEL.file);
    await writeFile(wheel, bytes);
    return { ok: true, pip: runWheel(ask.inVenv, wheel) };
  } catch (error) {
    return { ok: false, reason: `${reason} (${String(error)})` };
  }
}

/** The address of our wheel in an index page, which is a list of links. */
export function wheelHref(page: string): string | null {
  const links = page.matchAll(/href="([^"]+)"/g);
  for (const [, href = ''] of links) {
    const path = href.split('#')[0] ?? '';
    if (path.endsWith(`/${WHEEL.file}`)) return path.replaceAll('&amp;', '&');
  }
  return null;
}

async function fetchOk(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response;
}
