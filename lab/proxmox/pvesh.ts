/** `pvesh get` for the paths that discovery and health checks read, and `pveversion`. */
import { cpus, freemem, totalmem, uptime } from 'node:os';
import { type Answer, printed, refused, SILENT } from './answer.ts';
import { parseArguments } from './options.ts';
import {
  currentStatus,
  currentStatusObject,
  type Fields,
  guestResource,
  nodeResource,
  sortedJson,
} from './resources.ts';
import { configPath, findGuest, listElsewhere, listGuests, nodeName } from './store.ts';
import { listTasks, parseUpid, runTask, stopTask, taskLog, taskStatus } from './tasks.ts';

const VERSION = { release: '9.2', repoid: '14a22df3', version: '9.2.11' } as const;
const KINDS = {
  'output-format': 'value',
  type: 'value',
  noborder: 'flag',
  noheader: 'flag',
  quiet: 'flag',
  vmid: 'value',
} as const;

type Reader = (match: RegExpExecArray, options: Readonly<Record<string, string>>) => unknown;

const READERS: readonly (readonly [RegExp, Reader])[] = [
  [/^\/version$/, () => VERSION],
  [/^\/cluster\/resources$/, (_match, options) => clusterResources(options['type'])],
  [/^\/cluster\/nextid$/, () => nextId()],
  [/^\/nodes$/, () => [thisNode()]],
  [/^\/nodes\/([^/]+)\/lxc$/, () => listGuests(Date.now()).map(currentStatus)],
  [/^\/nodes\/([^/]+)\/qemu$/, () => []],
  [/^\/nodes\/[^/]+\/tasks$/, () => listTasks().map(taskStatus)],
  [/^\/nodes\/[^/]+\/tasks\/([^/]+)\/(status|log)$/, ([, upid = '', what]) => taskOf(upid, what)],
  [/^\/nodes\/([^/]+)\/lxc\/(\d+)\/status\/current$/, (match) => statusOf(Number(match[2]))],
];

export async function pvesh(args: readonly string[]): Promise<Answer> {
  const [verb = '', ...rest] = args;
  const parsed = parseArguments(rest, KINDS);
  if (!parsed.ok) return refused(parsed.message, parsed.code);
  const path = (parsed.positionals[0] ?? '').replace(/(?<=.)\/+$/, '');
  const node = /^\/nodes\/([^/]+)/.exec(path)?.[1];
  if (node !== undefined && node !== nodeName()) {
    return refused(
      `hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`,
    );
  }
  if (verb === 'get') return read(path, parsed.options);
  return (
    (await change(verb, path, parsed.options)) ??
    refused(`No '${verb}' handler defined for '${path}'`, 1)
  );
}

/** What starts a task prints its UPID last, and says 0 whatever became of it. */
async function change(
  verb: string,
  path: string,
  options: Readonly<Record<string, string>>,
): Promise<Answer | undefined> {
  const stopped = /^\/nodes\/[^/]+\/tasks\/([^/]+)$/.exec(path)?.[1];
  if (verb === 'delete' && stopped !== undefined) {
    const task = parseUpid(stopped);
    if (!task) return refused(`unable to parse worker upid '${stopped}'`, 2);
    await stopTask(task);
    return SILENT;
  }
  if (verb !== 'create') return undefined;
  const [, vmid, power] =
    /^\/nodes\/[^/]+\/lxc\/(\d+)\/status\/(start|stop|shutdown|reboot)$/.exec(path) ?? [];
  const dumped = /^\/nodes\/[^/]+\/vzdump$/.test(path) ? options['vmid'] : undefined;
  if (vmid === undefined && dumped === undefined) return undefined;
  const { upid } = await runTask(
    power === undefined ? 'vzdump' : `vz${power}`,
    vmid ?? dumped ?? '',
  );
  return printed(`${upid}\n`);
}

function taskOf(upid: string, what: string | undefined): unknown {
  const task = parseUpid(upid);
  if (!task) return refused(`unable to parse worker upid '${upid}'`, 2);
  if (what === 'status') return taskStatus(task);
  return (taskLog(upid) ?? []).map((t, at) => ({ n: at + 1, t }));
}

export function pveversion(): Answer {
  return printed(
    `pve-manager/${VERSION.version}/${VERSION.repoid} (running kernel: 6.17.4-1-pve)\n`,
  );
}

function read(path: string, options: Readonly<Record<string, string>>): Answer {
  for (const [pattern, reader] of READERS) {
    const match = pattern.exec(path);
    if (!match) continue;
    const found = reader(match, options);
    return isAnswer(found) ? found : printed(render(found, options['output-format'] ?? 'text'));
  }
  return refused(`No 'get' handler defined for '${path}'`, 1);
}

/** The real tool draws a table unless told otherwise, which nobody should read; here that is JSON too. */
function render(value: unknown, format: string): string {
  if (format === 'json-pretty') {
    return `${JSON.stringify(JSON.parse(sortedJson(value)), undefined, 3)}\n`;
  }
  if (format === 'text' && typeof value === 'string') return `${value}\n`;
  return `${sortedJson(value)}\n`;
}

function clusterResources(type: string | undefined): Fields[] | Answer {
  const elsewhere = listElsewhere().map(({ node, vmid, kind, name }) => ({
    id: `${kind}/${vmid}`,
    name,
    node,
    status: 'unknown',
    type: kind,
    vmid,
  }));
  const guests = [...listGuests(Date.now()).map(guestResource), ...elsewhere];
  switch (type) {
    case undefined:
      return [...guests, thisNode()];
    case 'vm':
      return guests;
    case 'node':
      return [thisNode()];
    case 'storage':
    case 'sdn':
      return [];
    default:
      return refused(
        `400 Parameter verification failed.\ntype: value '${type}' does not have a value in the enumeration 'vm, storage, node, sdn'\n\npvesh get <api_path> [OPTIONS] [FORMAT_OPTIONS]`,
      );
  }
}

function statusOf(vmid: number): Fields | Answer {
  const guest = findGuest(vmid, Date.now());
  return guest
    ? currentStatusObject(guest)
    : refused(`Configuration file '${configPath(vmid)}' does not exist`, 2);
}

function nextId(): string {
  const taken = new Set(listGuests(Date.now()).map((guest) => guest.vmid));
  let id = 100;
  while (taken.has(id)) id += 1;
  return String(id);
}

function thisNode(): Fields {
  return nodeResource({
    node: nodeName(),
    uptimeSeconds: Math.floor(uptime()),
    cpus: cpus().length,
    totalMemoryBytes: totalmem(),
    usedMemoryBytes: totalmem() - freemem(),
  });
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'code' in value && 'err' in value;
}
