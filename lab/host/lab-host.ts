/** A host to talk to by SSH whose commands really run, confined; for the demo and for tests. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTAINERS, type ContainerSeed } from '../proxmox/seed.ts';
import { type CommandOutcome, runCommand } from './command.ts';
import { LabHostStartError } from './errors.ts';
import { findFreePort } from './free-port.ts';
import { fingerprintOf, makeKey } from './keys.ts';
import { type Layout, layoutOf, writeControl, writeState } from './layout.ts';
import { type Confinement, enterWords, requireConfinement, startConfinement } from './namespace.ts';
import { giveToOwner, type LabOwner, labOwner } from './owner.ts';
import { findSshd, type Sshd, startSshd } from './sshd.ts';

export interface LabHostOptions {
  /** Folder of this host alone; what an earlier one left there is thrown away. Absolute. */
  readonly dir: string;
  /** Host and node name; `lab` unless told otherwise. */
  readonly name?: string;
  /** Public key lines that may log in besides the lab's own key. */
  readonly authorizedKeys?: readonly string[];
  /** All of the lab's containers unless told otherwise. */
  readonly containers?: readonly ContainerSeed[];
  /** A free one below 32768 unless told otherwise. */
  readonly sshPort?: number;
  /**
   * True unless told otherwise. False: the client's `signal` is refused, as a root login meets it on
   * hosts with OpenSSH 9.2 (Debian 12, tried).
   */
  readonly obeysSignals?: boolean;
}

export interface LabHost {
  readonly name: string;
  readonly address: '127.0.0.1';
  readonly port: number;
  readonly user: 'root';
  readonly privateKeyPath: string;
  /** `SHA256:…`, of the host key in use now. */
  readonly hostKeyFingerprint: string;
  /** `ssh-ed25519 AAAA…`, of the host key in use now. */
  readonly hostPublicKey: string;
  /** The lab host's `/` on disk. Its /usr, /run, /tmp, /dev and /proc are mounts that only it sees. */
  readonly stateDir: string;
  /** Ends every process of the lab host. May be called twice. */
  stop(): Promise<void>;
  /** "The host is down": connections end and no new one is accepted. */
  stopSshd(): Promise<void>;
  startSshd(): Promise<void>;
  /** sshd comes back with another host key. */
  changeHostKey(): Promise<void>;
  /** Boots it if it is off, after `poweroff` or a reboot that did not come back. */
  powerOn(): Promise<void>;
  /** Everything as it was at first, or one container only. */
  reset(vmid?: number): Promise<void>;
  /** A fault switch of the stand-in (lab/proxmox/faults.ts), `slow-start-101`, `5`; null takes it away. */
  setFault(name: string, value: string | null): Promise<void>;
  /** Shell text run inside as root, without SSH. */
  run(command: string): Promise<CommandOutcome>;
}

/** Throws SshServerMissing or ConfinementUnavailable where such a host cannot be had. */
export async function startLabHost(options: LabHostOptions): Promise<LabHost> {
  const owner = labOwner(process.getuid?.() ?? -1, process.getgid?.() ?? -1);
  const layout = layoutOf(options.dir, options.name ?? 'lab');
  findSshd();
  await requireConfinement(owner);
  mkdirSync(layout.dir, { recursive: true });
  writeControl(layout, owner);
  const clientKey = makeKey(`${layout.dir}/id_ed25519`, 'lab operator');
  const keys = [clientKey, ...(options.authorizedKeys ?? [])];
  writeFileSync(`${layout.control}/authorized_keys`, `${keys.join('\n')}\n`);
  const running = new RunningLab(layout, owner, {
    port: options.sshPort ?? (await findFreePort()),
    obeysSignals: options.obeysSignals ?? true,
    containers: options.containers ?? CONTAINERS,
  });
  try {
    await running.start();
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

interface Settings {
  readonly port: number;
  readonly obeysSignals: boolean;
  readonly containers: readonly ContainerSeed[];
}

class RunningLab implements LabHost {
  readonly address = '127.0.0.1';
  readonly user = 'root';
  readonly name: string;
  readonly port: number;
  readonly privateKeyPath: string;
  readonly stateDir: string;
  hostPublicKey = '';
  readonly #layout: Layout;
  readonly #owner: LabOwner;
  readonly #settings: Settings;
  #confinement: Confinement | undefined;
  #sshd: Sshd | undefined;
  #stopped = false;
  #restart: Promise<void> = Promise.resolve();

  constructor(layout: Layout, owner: LabOwner, settings: Settings) {
    this.#layout = layout;
    this.#owner = owner;
    this.name = layout.name;
    this.port = settings.port;
    this.#settings = settings;
    this.privateKeyPath = `${layout.dir}/id_ed25519`;
    this.stateDir = layout.root;
  }

  get hostKeyFingerprint(): string {
    return fingerprintOf(this.hostPublicKey);
  }

  async start(): Promise<void> {
    this.#newHostKey();
    await this.#startInside();
    await this.startSshd();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#restart;
    await this.stopSshd();
    await this.#stopInside();
  }

  async powerOn(): Promise<void> {
    await this.#restart;
    if (!this.#confinement) await this.#boot();
  }

  async stopSshd(): Promise<void> {
    await this.#sshd?.stop();
    this.#sshd = undefined;
  }

  async startSshd(): Promise<void> {
    if (this.#sshd) return;
    this.#sshd = await startSshd(this.#layout, this.#owner, this.#inside(), this.#settings);
  }

  async changeHostKey(): Promise<void> {
    await this.stopSshd();
    this.#newHostKey();
    await this.startSshd();
  }

  async reset(vmid?: number): Promise<void> {
    if (vmid !== undefined) return this.#mustRun(`${STAND_IN} lab-reset ${vmid}`);
    await this.stop();
    this.#stopped = false;
    await this.#startInside();
    await this.startSshd();
  }

  async setFault(name: string, value: string | null): Promise<void> {
    if (!/^[a-z0-9-]+$/.test(name)) throw new RangeError(`no name of a fault: ${name}`);
    const path = `/var/lib/lab/faults/${name}`;
    const command = value === null ? `rm -f ${path}` : `cat > ${path}`;
    await this.#mustRun(command, value ?? '');
  }

  async run(command: string): Promise<CommandOutcome> {
    return this.#enter(command, '');
  }

  #enter(command: string, input: string): Promise<CommandOutcome> {
    const [program = '', ...args] = enterWords(this.#inside(), this.#owner, this.#layout);
    return runCommand(program, [...args, command], input);
  }

  async #mustRun(command: string, input = ''): Promise<void> {
    const { code, stdout, stderr } = await this.#enter(command, input);
    if (code !== 0) throw new LabHostStartError(command, `${stdout}${stderr}`.trim());
  }

  async #startInside(): Promise<void> {
    writeState(this.#layout, this.#owner, this.#settings.containers);
    await this.#bootInside();
  }

  async #bootInside(): Promise<void> {
    const confinement = await startConfinement(this.#layout, this.#owner);
    this.#confinement = confinement;
    void confinement.down.then(() => {
      if (!this.#stopped && this.#confinement === confinement) this.#restart = this.#goDown();
    });
    await this.#mustRun(`${STAND_IN} lab-boot`);
  }

  /** Its first process has ended: what was asked for inside decides whether it comes back. */
  async #goDown(): Promise<void> {
    const wish = this.#take('power');
    await this.stopSshd();
    await this.#stopInside();
    if (wish !== 'reboot') return;
    const seconds = Number(this.#read('faults/boot-takes') ?? '0.3');
    // Anything else than a number: it never comes back by itself.
    if (Number.isNaN(seconds)) return;
    await sleep(seconds * 1_000);
    if (!this.#stopped) await this.#boot();
  }

  async #boot(): Promise<void> {
    await this.#bootInside();
    await this.startSshd();
  }

  #read(name: string): string | undefined {
    const path = `${this.#layout.root}/var/lib/lab/${name}`;
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  }

  #take(name: string): string | undefined {
    const found = this.#read(name);
    rmSync(`${this.#layout.root}/var/lib/lab/${name}`, { force: true });
    return found;
  }

  async #stopInside(): Promise<void> {
    await this.#confinement?.stop();
    this.#confinement = undefined;
  }

  #newHostKey(): void {
    this.hostPublicKey = makeKey(`${this.#layout.control}/host_key`, this.name);
    giveToOwner(this.#layout.control, this.#owner);
  }

  #inside(): Confinement {
    if (!this.#confinement) throw new LabHostStartError('it has been stopped', '');
    return this.#confinement;
  }
}

const STAND_IN = '/usr/local/lib/lab/node /usr/local/lib/lab/proxmox/main.ts';
