/** The confinement: starts the lab host's namespaces and gives the words that lead into them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { runCommand } from './command.ts';
import { ConfinementUnavailable, LabHostStartError } from './errors.ts';
import { type Layout, PROXMOX_SOURCE } from './layout.ts';
import { asOwner, type LabOwner } from './owner.ts';
import { clearNamespaces, foreignNamespace } from './processes.ts';

/** A running confinement: the stage (the machine with the lab mounted) and the lab host below it. */
export interface Confinement {
  /** A process on the stage; sshd is started beside it. */
  readonly stagePid: number;
  /** The lab host's first process, as this machine counts. */
  readonly firstPid: number;
  /** Resolves when the lab host's first process has ended, whoever ended it. */
  readonly down: Promise<void>;
  /** Ends everything inside, and resolves when nothing is left. */
  stop(): Promise<void>;
}

/** Throws ConfinementUnavailable where the kernel or its settings forbid it. */
export async function requireConfinement(owner: LabOwner): Promise<void> {
  const [program = '', ...args] = [
    ...unshareStage(owner),
    ...asOwner(owner),
    'unshare',
    '--user',
    '--map-root-user',
    '--mount',
    '--pid',
    '--net',
    '--fork',
    'mount',
    '-t',
    'tmpfs',
    'none',
    '/tmp',
  ];
  const tried = await runCommand(program, args);
  if (tried.code !== 0) {
    throw new ConfinementUnavailable(tried.stderr.trim().split('\n')[0] ?? `exit ${tried.code}`);
  }
}

export async function startConfinement(layout: Layout, owner: LabOwner): Promise<Confinement> {
  const [program = '', ...args] = [
    ...unshareStage(owner),
    '/bin/sh',
    `${import.meta.dirname}/stage.sh`,
    layout.stage,
    layout.dir,
    layout.name,
    process.execPath,
    PROXMOX_SOURCE,
    ...asOwner(owner),
  ];
  const child = spawn(program, args, {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: labEnvironment(layout),
  });
  const firstPid = await readyPid(child);
  const down = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stagePid = child.pid ?? 0;
  const namespaces = new Set([stagePid, firstPid].flatMap((pid) => foreignNamespace(pid) ?? []));
  const markFile = `${layout.control}/first-process`;
  writeFileSync(markFile, `${firstPid}\n`);
  return {
    stagePid,
    firstPid,
    down,
    stop: async () => {
      rmSync(markFile, { force: true });
      child.stdin.destroy();
      await clearNamespaces(namespaces, 10_000);
    },
  };
}

/** The words that run `command` (shell text) inside, as root of the lab host. */
export function enterWords(confinement: Confinement, owner: LabOwner, layout: Layout): string[] {
  return [...stageWords(confinement, owner), `${layout.stage}/control/enter`, '-c'];
}

/** The words that run a program on the stage, as the owner and without privileges. */
export function stageWords(confinement: Confinement, owner: LabOwner): string[] {
  const target = ['nsenter', '--target', String(confinement.stagePid), '--mount'];
  return owner.isRoot
    ? [...target, '--', ...asOwner(owner)]
    : [...target, '--user', '--preserve-credentials', '--', 'setpriv', ...NO_CAPABILITIES, '--'];
}

/** What the lab's outer processes see; the mark tells whose they are. */
export function labEnvironment(layout: Layout): NodeJS.ProcessEnv {
  return { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', OIKOS_LAB: layout.dir };
}

const NO_CAPABILITIES = ['--ambient-caps=-all', '--inh-caps=-all'];

function unshareStage(owner: LabOwner): string[] {
  const mount = ['--mount', '--propagation', 'private'];
  return owner.isRoot
    ? ['unshare', ...mount, '--']
    : ['unshare', '--user', '--map-current-user', '--keep-caps', ...mount, '--'];
}

function readyPid(child: ChildProcess): Promise<number> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new LabHostStartError('no streams', '');
  const said: string[] = [];
  createInterface({ input: stderr }).on('line', (line) => said.push(line));
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new LabHostStartError(what, said.slice(-3).join(' / ')));
    createInterface({ input: stdout }).on('line', (line) => {
      const pid = /^ready (\d+)$/.exec(line)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => fail(`exit ${code ?? 'by signal'}`));
  });
}
