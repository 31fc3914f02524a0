import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { wheelHref } from './pip.ts';
import { ensurePython, explainPip, PythonUnavailableError } from './python.ts';

/** A project folder and a PATH that holds nothing but one python3 that says it is `version`. */
async function machineWith(version: string | null): Promise<{ root: string; path: string }> {
  const root = await mkdtemp(join(tmpdir(), 'oikos-python-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'lab'));
  await mkdir(join(root, 'bin'));
  await writeFile(join(root, 'lab', 'requirements.txt'), 'nothing==1\n');
  if (version !== null) {
    const program = join(root, 'bin', 'python3');
    await writeFile(program, `#!/bin/sh\necho ${version}\n`);
    await chmod(program, 0o755);
  }
  return { root, path: join(root, 'bin') };
}

describe('a machine without a usable Python', () => {
  it('is told that python3 is missing', async () => {
    const failure = new PythonUnavailableError(
      'python3 was not found; install Python 3.11 or newer',
    );
    await expect(ensurePython(await machineWith(null))).rejects.toThrow(failure);
  });

  it('is told that its Python is too old', async () => {
    const failure = new PythonUnavailableError('python3 is 3.9; install Python 3.11 or newer');
    await expect(ensurePython(await machineWith('3.9'))).rejects.toThrow(failure);
  });
});

describe('a failed pip run', () => {
  it.each([
    [
      'Max retries exceeded with url: /simple/',
      'pip cannot reach its package index: is this machine offline?',
    ],
    ['ERROR: No space left on device', 'pip ran out of disk space'],
    [
      'noise\nERROR: no matching wheel\n',
      'pip could not install lab/requirements.txt: ERROR: no matching wheel',
    ],
  ])('%j is told in one line', (output, line) => {
    expect(explainPip(output)).toBe(line);
  });
});

it('finds the wheel of pip in an index page', () => {
  const page = `<a href="../../a/pip-25.2-py3-none-any.whl#sha256=1">x</a>
    <a href="../../b/pip-25.3-py3-none-any.whl#sha256=2">y</a>`;
  expect(wheelHref(page)).toBe('../../b/pip-25.3-py3-none-any.whl');
  expect(wheelHref('<html></html>')).toBeNull();
});
