import { readFile } from 'node:fs/promises';
import type { Fleet, FleetHost } from '../../daemon/fleet.ts';
import { hostSlug } from '../../shared/domain/target.ts';
import { type Check, fails, note } from '../check.ts';
import { readFleetText } from './fleet-text.ts';
import { guestChecks, hostChecks } from './host-checks.ts';
import { lookAtHost } from './look.ts';

export interface CheckHosts {
  readonly fleetFile: string;
  readonly connectMs: number;
  /** This host alone; undefined: all. */
  readonly slug?: string;
  /** The site that this daemon serves. */
  readonly site: string;
}

/** Connects to the hosts of fleet.yaml, all at once, and compares what is there with the file. */
export async function checkHosts(ask: CheckHosts): Promise<readonly Check[]> {
  const read = readFleetText(ask.fleetFile);
  if (!read.ok) return read.problems.map((problem) => fails(problem));
  const { fleet } = read;
  const wanted = ask.slug === undefined ? undefined : hostSlug(ask.slug);
  const hosts = fleet.hosts.filter(({ slug }) => wanted === undefined || slug === wanted);
  if (hosts.length === 0) return [nothingToCheck(ask, fleet)];
  const checks = await Promise.all(hosts.map((host) => checkHost(host, fleet, ask)));
  return [...checks.flat(), ...siteChecks(hosts, ask)];
}

async function checkHost(
  host: FleetHost,
  fleet: Fleet,
  ask: CheckHosts,
): Promise<readonly Check[]> {
  const shown = await lookAtHost(host, fleet.hosts, {
    connectMs: ask.connectMs,
    readFile: (path) => readFile(path),
  });
  const guests = fleet.guests.filter((guest) => guest.host === host.slug);
  const { facts } = shown;
  return [...hostChecks(host, shown), ...(facts ? guestChecks(guests, facts) : [])];
}

function nothingToCheck({ slug, fleetFile }: CheckHosts, fleet: Fleet): Check {
  if (slug === undefined) {
    return fails(`${fleetFile} lists no host`, 'add one: oikos host add root@pve1');
  }
  const known = fleet.hosts.map((host) => host.slug).join(', ') || 'none';
  return fails(`${hostSlug(slug)} is not in ${fleetFile}`, `there are: ${known}`);
}

function siteChecks(hosts: readonly FleetHost[], { site }: CheckHosts): readonly Check[] {
  return hosts
    .filter((host) => host.site !== site)
    .map((host) =>
      note(
        `${host.slug} is of site ${host.site}`,
        `the daemon of DAEMON_SITE=${site} does not serve it`,
      ),
    );
}
