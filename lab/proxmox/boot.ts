/** What happens when the lab host comes up, and how a single container is put back as it was. */
import { type Answer, refused, SILENT } from './answer.ts';
import { killContainer } from './container.ts';
import { pct } from './pct.ts';
import { buildContainer } from './root-tree.ts';
import { CONTAINERS } from './seed.ts';
import { startEnabledUnits } from './service.ts';
import { findGuest, nodeName, removeGuest, runningMark } from './store.ts';

/** Units of the host, then the containers that run from the start, side by side. */
export async function bootHost(): Promise<Answer> {
  startEnabledUnits();
  const starts = CONTAINERS.filter(
    ({ running, vmid }) => running && findGuest(vmid, Date.now()),
  ).map(({ vmid }) => startNew(vmid));
  return worst(await Promise.all(starts));
}

export async function resetContainer(args: readonly string[]): Promise<Answer> {
  const seed = CONTAINERS.find(({ vmid }) => String(vmid) === args[0]);
  if (!seed) return refused(`the lab has no container ${args[0] ?? ''} to begin with`, 2);
  const mark = runningMark(seed.vmid);
  if (mark) await killContainer(seed.vmid, mark);
  removeGuest(seed.vmid);
  buildContainer('', nodeName(), seed);
  return seed.running ? startNew(seed.vmid) : SILENT;
}

function startNew(vmid: number): Promise<Answer> {
  return pct(['start', String(vmid)]);
}

function worst(answers: readonly Answer[]): Answer {
  return answers.find(({ code }) => code !== 0) ?? SILENT;
}
