import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { checkLine, somethingFails } from '../check.ts';
import type { CommandDeps } from '../command-deps.ts';
import { readSettings } from '../settings.ts';
import type { HostWishes } from './plan-host.ts';

interface AddOptions {
  readonly slug?: string;
  readonly key?: string;
  readonly passphraseFile?: string;
  readonly agent?: string | true;
  readonly knownHosts?: string;
  readonly fingerprint?: string;
  readonly site?: string;
  readonly jump?: string;
  readonly sudo?: true;
  readonly yes?: true;
  readonly fleet?: string;
}

/** Adds `oikos host add` and `oikos host check` to the command line. */
export function registerHost(program: Command, deps: CommandDeps): void {
  const host = program.command('host').description('The hosts of fleet.yaml.');
  host
    .command('add')
    .description('Connect to a host, compare its key, test it, write it into fleet.yaml.')
    .argument('<address>', 'like root@pve1 or oikos@192.0.2.10:2222')
    .option('--slug <name>', 'what Oikos calls it (default: the first part of its name)')
    .option('--key <file>', 'private key to log in with (default: ~/.ssh/id_ed25519)')
    .option('--passphrase-file <file>', 'file that holds the passphrase of the key')
    .option('--agent [socket]', 'log in by an SSH agent instead: SSH_AUTH_SOCK, or this socket')
    .option('--known-hosts <file>', 'take the expected host key from there; nothing is asked then')
    .option('--fingerprint <text>', 'the host key that you expect, SHA256:…; nothing is asked then')
    .option('--site <name>', 'whose daemon serves it (default: DAEMON_SITE, or home)')
    .option('--jump <slug>', 'host of fleet.yaml through which it is reached')
    .option('--sudo', 'run commands by sudo -n')
    .option('--yes', 'write without asking; the host key is asked about all the same')
    .option('--fleet <file>', 'default: FLEET_FILE, or ./fleet.yaml')
    .action((address: string, options: AddOptions) => add(address, options, deps));
  host
    .command('check')
    .description('Connect to the hosts of fleet.yaml and compare what is there.')
    .argument('[slug]', 'one host alone')
    .option('--fleet <file>', 'default: FLEET_FILE, or ./fleet.yaml')
    .action((slug: string | undefined, options: { readonly fleet?: string }) =>
      check(slug, options, deps),
    );
}

async function add(typed: string, options: AddOptions, deps: CommandDeps): Promise<void> {
  const settings = hostSettings(deps, options.fleet);
  if (!settings) return;
  if (options.agent !== undefined && (options.key ?? options.passphraseFile) !== undefined) {
    deps.terminal.complain('✗ --agent holds the key itself: leave --key and --passphrase-file out');
    process.exitCode = 1;
    return;
  }
  const { addHost } = await import('./add.ts');
  const written = await addHost(
    {
      typed,
      wishes: wishesOf(options, settings.site),
      fleetFile: settings.fleetFile,
      connectMs: settings.connectMs,
      fingerprint: options.fingerprint,
      ...(options.knownHosts !== undefined && { knownHosts: fromHome(options.knownHosts) }),
      yes: options.yes ?? false,
    },
    deps,
  );
  if (!written) process.exitCode = 1;
}

function wishesOf(options: AddOptions, site: string): HostWishes {
  const { slug, jump, passphraseFile, key, sudo = false } = options;
  const agent = options.agent === true ? 'SSH_AUTH_SOCK' : options.agent;
  return {
    keyFile: agent === undefined ? fromHome(key ?? defaultKey()) : undefined,
    site: options.site ?? site,
    sudo,
    agent,
    slug,
    jump,
    passphraseFile: passphraseFile && fromHome(passphraseFile),
  };
}

async function check(
  slug: string | undefined,
  options: { readonly fleet?: string },
  deps: CommandDeps,
): Promise<void> {
  const settings = hostSettings(deps, options.fleet);
  if (!settings) return;
  const { checkHosts } = await import('./check.ts');
  const checks = await checkHosts({ ...settings, ...(slug !== undefined && { slug }) });
  for (const one of checks) deps.terminal.say(checkLine(one));
  if (somethingFails(checks)) process.exitCode = 1;
}

/** Undefined after having said what is wrong. */
function hostSettings({ env, terminal }: CommandDeps, fleet: string | undefined) {
  const read = readSettings(env, ['FLEET_FILE', 'DAEMON_SITE', 'SSH_CONNECT_SECONDS']);
  if (read.ok) {
    const { FLEET_FILE, DAEMON_SITE, SSH_CONNECT_SECONDS } = read.config;
    const connectMs = SSH_CONNECT_SECONDS * 1_000;
    return { fleetFile: fleet ?? FLEET_FILE, site: DAEMON_SITE, connectMs };
  }
  for (const problem of read.problems) terminal.complain(`✗ ${problem}`);
  process.exitCode = 1;
  return undefined;
}

/** The keys that ssh itself tries, the best first. */
function defaultKey(): string {
  const folder = join(homedir(), '.ssh');
  const names = ['id_ed25519', 'id_ecdsa', 'id_rsa'];
  const found = names.map((name) => join(folder, name)).find((path) => existsSync(path));
  return found ?? join(folder, 'id_ed25519');
}

function fromHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
