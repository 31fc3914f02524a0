// Entry of every npm script: installs what is missing, then goes on under the Node of the packages.
// Plain JavaScript on purpose: the system's own Node may be 20, which cannot run TypeScript.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGETS = {
  start: ['scripts/start.ts'],
  bot: ['bot/main.ts'],
  daemon: ['daemon/main.ts'],
  demo: ['lab/demo.ts'],
  oikos: ['cli/main.ts'],
  test: ['scripts/test.ts'],
  check: ['scripts/check.ts'],
  transcripts: ['scripts/transcripts.ts'],
  fuzz: ['bench/gate-fuzz.ts'],
  'bench:gate': ['bench/gate-speed.ts'],
  'bench:room': ['bench/room.ts'],
  soak: ['bench/soak.ts'],
  'chaos:room': ['scripts/chaos-room.ts'],
  'bench:exec': ['bench/exec.ts'],
  chaos: ['scripts/chaos.ts'],
};

const [target, ...rest] = process.argv.slice(2);
const script = TARGETS[target];
if (!script) fail(`unknown target "${target}"; there are: ${Object.keys(TARGETS).join(', ')}`);
if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Node ${process.versions.node} is too old: Oikos needs Node 20 or newer to install itself.`);
}
installIfStale();
run();

/** node_modules belongs to the lock file that it was installed from; anything else is stale. */
function installIfStale() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package.json')))
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.oikos-stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(nodeBinary()))
    return;
  process.stderr.write('Installing packages (npm ci) …\n');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, argv] =
    npm?.endsWith('.js') || npm?.endsWith('.cjs')
      ? [process.execPath, [npm, ...args]]
      : ['npm', args];
  // npm's progress belongs on stderr: stdout is the program's own.
  const done = spawnSync(command, argv, { cwd: root, stdio: ['ignore', 2, 2] });
  if (done.status !== 0) fail('npm ci failed; its output above says why.');
  if (!existsSync(nodeBinary())) {
    fail(
      'the package "node" brought no binary: its install script was not allowed to run (npm allowScripts).',
    );
  }
  writeFileSync(stamp, wanted);
}

function nodeBinary() {
  return join(root, 'node_modules', 'node', 'bin', 'node');
}

function run() {
  // DEP0060 comes from a dependency's import and tells nobody anything.
  const flags = ['--disable-warning=ExperimentalWarning', '--disable-warning=DEP0060'];
  // As in shared/node-flags.ts, which this program may be too old to read.
  if (['bot', 'daemon'].includes(target)) flags.push('--max-semi-space-size=4', '--expose-gc');
  const env = join(root, '.env');
  if (['start', 'bot', 'daemon', 'oikos'].includes(target) && existsSync(env)) {
    flags.push(`--env-file=${env}`);
  }
  const child = spawn(nodeBinary(), [...flags, join(root, script[0]), ...rest], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules', 'node', 'bin')}:${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
    },
  });
  // The terminal sends SIGINT to the whole group; others send SIGTERM to us alone.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => fail(`cannot start ${script[0]}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

function fail(message) {
  process.stderr.write(`oikos: ${message}\n`);
  process.exit(1);
}
