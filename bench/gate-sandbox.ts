import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Why lines cannot be run here, or undefined when they can. */
export function whyNoSandbox(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root, for unshare and chroot';
  const tried = spawnSync('unshare', ['-m', '-n', 'true']);
  return tried.status === 0 ? undefined : 'this machine does not let root make namespaces';
}

/** A line that did what it must not, and what that was. */
interface Violation {
  readonly line: string;
  readonly why: string;
}

// Really run inside: they start other programs, or write files when asked in a way the gate missed.
const REAL =
  'env timeout nice xargs find sed awk grep cat sort uniq tr cut head tail wc tee stdbuf rm date';
const WRITABLE = ['work', 'tmp', 'etc', 'root', 'srv', 'opt', 'var', 'home', 'boot', 'run'];

/**
 * An empty root with real bash, a few real programs, and silent stubs for all others. `evil` leaves a
 * mark. Everything in it may be written by the user the lines run as, so that no write stays unseen.
 */
class Sandbox {
  readonly root: string;

  constructor(programs: readonly string[]) {
    this.root = mkdtempSync(join(tmpdir(), 'gate-fuzz-'));
    chmodSync(this.root, 0o755);
    for (const folder of ['bin', 'drv', 'dev', 'lib64', ...WRITABLE]) {
      mkdirSync(join(this.root, folder), { recursive: true });
    }
    for (const folder of [...WRITABLE, 'drv/out']) {
      mkdirSync(join(this.root, folder), { recursive: true });
      chmodSync(join(this.root, folder), 0o777);
    }
    writeFileSync(join(this.root, 'dev/null'), '');
    chmodSync(join(this.root, 'dev/null'), 0o666);
    this.bring('bash', 'drv/bash');
    for (const name of ['timeout', 'rm', 'true']) this.bring(name, `drv/${name}`);
    for (const name of REAL.split(' ')) this.bring(name, `bin/${name}`);
    for (const name of ['bash', 'sh', 'dash'])
      symlinkSync('../drv/bash', join(this.root, 'bin', name));
    this.stub('evil', ': > /drv/out/evil');
    for (const name of programs) this.link(name);
    writeFileSync(join(this.root, 'drv/driver'), DRIVER);
  }

  /** Copies a program and the libraries it needs. */
  private bring(name: string, to: string): void {
    const path = realpathSync(execFileSync('which', [name], { encoding: 'utf8' }).trim());
    copyFileSync(path, join(this.root, to));
    chmodSync(join(this.root, to), 0o755);
    const needed = execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const library of needed) {
      const target = join(this.root, library);
      if (existsSync(target)) continue;
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(realpathSync(library), target);
      chmodSync(target, 0o755);
    }
  }

  /** A program that does nothing. */
  private link(name: string): void {
    const path = join(this.root, 'bin', name);
    if (/^[\w.+-]+$/.test(name) && !existsSync(path)) symlinkSync('../drv/true', path);
  }

  private stub(name: string, body: string): void {
    const path = join(this.root, 'bin', name);
    if (!/^[\w.+-]+$/.test(name) || existsSync(path)) return;
    writeFileSync(path, `#!/drv/bash\n${body}\n`);
    chmodSync(path, 0o755);
  }

  /** Runs every line and answers those that ran the forbidden program or made a file, with why. */
  async run(lines: readonly string[]): Promise<readonly Violation[]> {
    writeFileSync(join(this.root, 'drv/lines'), `${lines.join('\0')}\0`);
    const { stdout } = await promisify(execFile)(
      'unshare',
      ['-m', '-n', 'chroot', '--userspec=65534:65534', this.root, '/drv/bash', '/drv/driver'],
      {
        encoding: 'utf8',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const said = stdout.split('\n').filter((text) => text !== '');
    const last = said.pop();
    if (last !== `ran ${lines.length}`) throw new SandboxFailed(last);
    return said.map((text) => {
      const [index, why = ''] = text.split(' ');
      return { line: lines[Number(index)] ?? '', why };
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Runs the lines in several sandboxes at once: most of the time goes by in waiting. */
export async function runAll(
  lines: readonly string[],
  programs: readonly string[],
): Promise<readonly Violation[]> {
  const parts = Array.from({ length: AT_ONCE }, (_, part) =>
    lines.filter((_line, index) => index % AT_ONCE === part),
  );
  const found = await Promise.all(
    parts.map(async (part) => {
      using sandbox = new Sandbox(programs);
      return await sandbox.run(part);
    }),
  );
  return found.flat();
}

const AT_ONCE = 6;

/** The sandbox itself broke: nothing can be said about the lines. */
class SandboxFailed extends Error {
  override readonly name = 'SandboxFailed';
}

/** Reads lines parted by NUL, runs each as the daemon does, and looks for what it left. */
const DRIVER = `
shopt -s dotglob nullglob
export PATH=/bin HOME=/sandbox
at=0
cd /sandbox
while IFS= read -r -d '' line; do
  /drv/timeout -k 1 1.5 /drv/bash --noprofile --norc -c "$line" </dev/null >/dev/null 2>&1
  found=(${WRITABLE.map((folder) => `/${folder}/*`).join(' ')})
  if [ -e /drv/out/evil ]; then echo "$at evil"; fi
  if [ \${#found[@]} -gt 0 ]; then echo "$at file:\${found[0]// /_}"; fi
  if [ -e /drv/out/evil ] || [ \${#found[@]} -gt 0 ]; then /drv/rm -rf /drv/out/evil "\${found[@]}"; fi
  at=$((at + 1))
done < /drv/lines
echo "ran $at"
`;

/** The lines of a corpus file. */
export function corpus(name: string): readonly string[] {
  const file = new URL(`../test/corpus/gate/${name}.tsv`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n').slice(1);
  return lines.map((line) => line.split('\t')[0] ?? '').filter((line) => line !== '');
}
