import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { printsMegabytes } from '../test/support/flood.ts';
import { ansibleFor } from './exec-ansible.ts';
import { HOSTS, openSsh, startExecWorld } from './exec-world.ts';

// How fast approved rows become results, side by side with OpenSSH on the same sshd in one run. What
// is compared takes turns, so that whatever else the machine does meets all of them alike.
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '60' },
    only: { type: 'string', default: 'one,many,flood,rate' },
  },
});
const TIMES = Number.parseInt(values.times, 10);
const CHANGE = { risk: 'config_mutation' } as const;
const PARTS: Record<string, () => Promise<void>> = {
  one: compareOne,
  many: compareMany,
  flood: compareFlood,
  rate: measureRate,
};

const only = values.only.split(',');
const unknown = only.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

let missed = 0;
const world = await startExecWorld();
const ssh = openSsh(world);
try {
  for (const name of only) {
    console.log(`— ${name}; load ${loadavg()[0]?.toFixed(1)}`);
    await PARTS[name]?.();
  }
  console.log(missed === 0 ? 'all limits are kept' : `${missed} limits are not kept`);
} finally {
  ssh.close();
  await world.stop();
}
process.exitCode = missed === 0 ? 0 : 1;

/** One small command: from approved row to result row. */
async function compareOne(): Promise<void> {
  ssh.master('one');
  const rows = await inTurns(TIMES, {
    'OpenSSH ControlMaster': () => ssh.run('true', 'one'),
    'OpenSSH fresh': () => ssh.run('true', undefined),
    'read_only, plain channel': () => world.run('true'),
    'change, detached runner': () => world.run('true', CHANGE),
  });
  const [master = 0, fresh = 0, plain = 0, detached = 0] = rows.map(({ p50 }) => p50);
  ratio('read_only / ControlMaster', plain / master, { most: 2 });
  ratio('detached / fresh ssh', detached / fresh, { most: 0.6 });
  console.log(`detached over plain: ${(detached - plain).toFixed(1)} ms at p50 (aim: 30)`);
}

/** Twenty hosts at once. */
async function compareMany(): Promise<void> {
  for (const host of HOSTS) ssh.master(host);
  const together = (work: (host: string) => Promise<number>) => async () => {
    const began = performance.now();
    await Promise.all(HOSTS.map(work));
    return performance.now() - began;
  };
  const ansible = await ansibleFor(world);
  const rows = await inTurns(Math.ceil(TIMES / 6), {
    '20 × ControlMaster': together((host) => ssh.run('true', host)),
    '20 × read_only': together((host) => world.run('true', { host })),
    ...(ansible && { 'ansible -m raw': () => ansible.run('true') }),
  });
  const [masters = 0, ours = 0, raw] = rows.map(({ p50 }) => p50);
  ratio('20 hosts / ControlMaster', ours / masters, { most: 1 });
  if (raw === undefined) console.log('ansible cannot be installed here: not compared');
  else ratio('ansible / 20 hosts', raw / ours, { least: 10 });
}

/** Much output: how fast, and what it costs the daemon and the host. */
async function compareFlood(): Promise<void> {
  ssh.master('flood');
  await world.run('true');
  for (const megabytes of [100, 999]) {
    const flood = printsMegabytes(megabytes);
    const speed = (took: number) => (megabytes / (took / 1_000)).toFixed(0);
    const mastered = speed(await ssh.run(flood, 'flood'));
    for (const [name, options] of [['plain', {}] as const, ['detached', CHANGE] as const]) {
      const idle = world.memory().now;
      world.forgetPeak();
      const took = await world.run(flood, options);
      const { peak } = world.memory();
      console.log(
        `${megabytes} MB of output, ${name}: ${speed(took)} MB/s (ControlMaster ${mastered}); ` +
          `daemon ${idle} MB before, ${peak} at most; spool ${world.spoolPeak()} MB at most`,
      );
    }
  }
}

async function measureRate(): Promise<void> {
  const reads = await world.runMany('true', 1_000, undefined);
  const changes = await world.runMany('true', 200, CHANGE.risk);
  console.log(`1000 approved reads: ${(1_000 / reads).toFixed(0)} starts/s`);
  console.log(`200 approved changes: ${(200 / changes).toFixed(0)} starts/s`);
}

/** Does all works in turns and prints how long each took. */
async function inTurns(times: number, works: Readonly<Record<string, () => Promise<number>>>) {
  const rows = Object.entries(works).map(([name, work]) => ({ name, work, took: [0] }));
  for (const row of rows) {
    await row.work();
    row.took = [];
  }
  for (let time = 0; time < times; time += 1) {
    for (const { work, took } of rows) took.push(await work());
  }
  console.log(`${'ms'.padEnd(26)}     p50     p99`);
  return rows.map(({ name, took }) => {
    took.sort((a, b) => a - b);
    const [p50, p99] = [at(took, 0.5), at(took, 0.99)];
    console.log(`  ${name.padEnd(24)} ${ms(p50)} ${ms(p99)}`);
    return { p50 };
  });
}

function at(times: readonly number[], share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

function ms(value: number): string {
  return value.toFixed(1).padStart(7);
}

function ratio(name: string, value: number, limit: { most: number } | { least: number }): void {
  const kept = 'most' in limit ? value <= limit.most : value >= limit.least;
  const words = 'most' in limit ? `≤ ${limit.most}` : `≥ ${limit.least}`;
  if (!kept) missed += 1;
  console.log(`ratio ${name}: ${value.toFixed(2)} (limit ${words}) ${kept ? 'kept' : 'NOT KEPT'}`);
}
