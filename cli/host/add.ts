import { readFile } from 'node:fs/promises';
import { type Fleet, type FleetHost, parseFleet } from '../../daemon/fleet.ts';
import { withKnownHosts } from '../../daemon/pinned-keys.ts';
import { replaceFile } from '../../shared/replace-file.ts';
import { type Check, checkLine, fails, note, ok, somethingFails } from '../check.ts';
import type { CommandDeps } from '../command-deps.ts';
import { reasonOf } from '../reason.ts';
import type { Terminal } from '../terminal.ts';
import { extendFleet } from './extend-fleet.ts';
import { readFleetText } from './fleet-text.ts';
import { type Naming, nameGuests } from './found-guests.ts';
import { hostChecks, troubleCheck } from './host-checks.ts';
import { acceptsKey, compareCommand, type HostKey } from './host-key.ts';
import { type HostFacts, type LookOptions, lookAtHost } from './look.ts';
import { type HostWishes, planHost } from './plan-host.ts';

export interface AddHost {
  /** As typed: `root@pve1:22`. */
  readonly typed: string;
  readonly wishes: HostWishes;
  readonly fleetFile: string;
  readonly connectMs: number;
  /** The host key that the operator expects; then nothing is asked about it. */
  readonly fingerprint: string | undefined;
  /** A known_hosts file that says which key that is. */
  readonly knownHosts?: string;
  /** Write without asking; the host key is asked about all the same. */
  readonly yes: boolean;
}

/** What the steps below share. */
interface Work {
  readonly ask: AddHost;
  readonly terminal: Terminal;
  readonly fleet: Fleet;
  /** The file as it was read. */
  readonly text: string;
  readonly look: LookOptions;
}

/**
 * Looks at a host, lets a person compare its key, tests what Oikos needs and writes it into
 * fleet.yaml. Everything is told on the terminal; the answer is whether it was written.
 */
export async function addHost(
  ask: AddHost,
  { terminal }: Pick<CommandDeps, 'terminal'>,
): Promise<boolean> {
  const read = readFleetText(ask.fleetFile);
  if (!read.ok) return refuse(terminal, ...read.problems.map((problem) => fails(problem)));
  const { text, fleet } = read;
  const look = { connectMs: ask.connectMs, readFile: (path: string) => readFile(path) };
  const work: Work = { ask, terminal, fleet, text, look };
  const plan = planHost(ask.typed, ask.wishes, fleet);
  switch (plan.kind) {
    case 'refused':
      return refuse(terminal, fails(plan.problem));
    case 'known':
      return compareKnown(work, plan.host);
    case 'new':
      return addNew(work, plan.host);
  }
}

function refuse(terminal: Terminal, ...checks: readonly Check[]): false {
  for (const check of checks) terminal.complain(checkLine(check));
  terminal.complain('Nothing was written.');
  return false;
}

/** A host that the file has is never written again, least of all with another key. */
async function compareKnown({ fleet, terminal, look, ask }: Work, host: FleetHost): Promise<false> {
  const { trouble, key } = await lookAtHost(host, fleet.hosts, look);
  const there = fails(
    `${host.slug} is in ${ask.fleetFile} already`,
    `oikos host check ${host.slug.replace(/^host:/, '')}`,
  );
  return refuse(terminal, ...(trouble ? [troubleCheck(host, trouble, key)] : []), there);
}

async function addNew(asked: Work, host: FleetHost): Promise<boolean> {
  const expected = expectedKey(asked.ask, host);
  if (typeof expected === 'object') return refuse(asked.terminal, expected);
  const work = { ...asked, ask: { ...asked.ask, fingerprint: expected } };
  const { terminal, fleet, look } = work;
  // A host with keys of several kinds is asked for the one that is expected.
  const first = { ...host, hostKey: expected };
  const { key, trouble } = await lookAtHost(first, fleet.hosts, look);
  if (!key) {
    return refuse(
      terminal,
      trouble ? troubleCheck(host, trouble, key) : fails(`${host.slug} showed no host key`),
    );
  }
  const wrong = await wrongKey(work, host, key);
  if (wrong) return refuse(terminal, wrong);

  const pinned = { ...host, hostKey: key.fingerprint };
  const shown = await lookAtHost(pinned, fleet.hosts, look);
  const checks = [...hostChecks(pinned, shown), ...sameKeyNotes(fleet, key)];
  for (const check of checks) terminal.say(checkLine(check));
  if (!shown.facts || somethingFails(checks)) return refuse(terminal);
  return writeHost(work, pinned, shown.facts);
}

/** The fingerprint that was given, or the one that the known_hosts file has for the host. */
function expectedKey(
  { fingerprint, knownHosts }: AddHost,
  host: FleetHost,
): Check | string | undefined {
  if (knownHosts === undefined || fingerprint !== undefined) return fingerprint;
  const pinned = withKnownHosts({ hosts: [{ ...host, knownHosts }], guests: [] });
  if (!pinned.ok) return fails(pinned.problems.join('; '));
  const [found] = pinned.fleet.hosts;
  return (
    found?.hostKey ??
    fails(
      `${knownHosts} does not know ${host.address}${host.port === 22 ? '' : `, port ${host.port}`}`,
      'leave --known-hosts out, and compare the key on the host',
    )
  );
}

/** Undefined when a person (or --fingerprint) says that this is the host's own key. */
async function wrongKey(
  { ask, terminal }: Work,
  host: FleetHost,
  key: HostKey,
): Promise<Check | undefined> {
  const shows = `${host.slug} shows the ${key.type} key ${key.fingerprint}`;
  if (ask.fingerprint !== undefined) {
    if (ask.fingerprint === key.fingerprint) return undefined;
    return fails(
      `${shows}, not ${ask.fingerprint}`,
      `on the host: ${compareCommand(key)}; if that prints yours, somebody stands between`,
    );
  }
  if (!terminal.interactive) {
    return fails(
      `${shows}, and nobody is here to compare it`,
      `run ${compareCommand(key)} on the host and give what it prints as --fingerprint`,
    );
  }
  terminal.say(shows);
  terminal.say(
    `Compare it with what this prints on the host's own console: ${compareCommand(key)}`,
  );
  const answer = await terminal.ask('Is it the same? (yes, no, or paste the fingerprint)');
  return acceptsKey(answer, key) ? undefined : fails('the host key was not confirmed');
}

/** One machine under two names would be two machines to Oikos. */
function sameKeyNotes(fleet: Fleet, key: HostKey): readonly Check[] {
  return fleet.hosts
    .filter(({ hostKey }) => hostKey === key.fingerprint)
    .map(({ slug }) => note(`${slug} has this very key`, 'is it the same machine?'));
}

async function writeHost(work: Work, host: FleetHost, facts: HostFacts): Promise<boolean> {
  const { ask, terminal, text, fleet } = work;
  const here = (facts.guests ?? []).filter(({ node }) => node === facts.node);
  const taken = new Set(fleet.guests.map(({ slug }) => slug));
  const naming = nameGuests(here, host.slug, taken);
  for (const check of foundNotes(naming, facts)) terminal.say(checkLine(check));
  const what = `${host.slug} and ${naming.guests.length} guests`;
  if (terminal.interactive && !ask.yes) {
    const answer = await terminal.ask(`Write ${what} into ${ask.fleetFile}? (yes or no)`);
    if (!/^y(es)?$/i.test(answer)) return refuse(terminal);
  }
  const failure = writeFleet(work, extendFleet(text, { host, guests: naming.guests }));
  if (failure) return refuse(terminal, failure);
  terminal.say(checkLine(ok(`${what} are in ${ask.fleetFile}; the daemon reads it at its start`)));
  return true;
}

function foundNotes({ guests, left }: Naming, facts: HostFacts): readonly Check[] {
  const elsewhere = (facts.guests ?? []).filter(({ node }) => node !== facts.node);
  const nodes = [...new Set(elsewhere.map(({ node }) => node))];
  return [
    ...guests.map(({ slug, vmid, name }) => ok(`${slug}: ${vmid} (${name})`)),
    ...left.map((reason) =>
      note(`${reason}, so it is left out`, 'give it a name and add it by hand'),
    ),
    ...(nodes.length === 0
      ? []
      : [note(`${elsewhere.length} guests are on ${nodes.join(', ')}`, 'add these hosts too')]),
  ];
}

function writeFleet({ ask, text }: Work, after: string): Check | undefined {
  const parsed = parseFleet(after);
  if (!parsed.ok) return fails(`${ask.fleetFile} would become wrong`, parsed.problems.join('; '));
  const now = readFleetText(ask.fleetFile);
  if (!now.ok || now.text !== text)
    return fails(`${ask.fleetFile} was changed meanwhile`, 'try again');
  try {
    replaceFile(ask.fleetFile, after);
    return undefined;
  } catch (error) {
    return fails(`${ask.fleetFile} cannot be written`, reasonOf(error));
  }
}
