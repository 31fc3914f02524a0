import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { HOSTS, openSsh, startExecWorld } from './exec-world.ts';

// How fast approved rows become results, side by side with OpenSSH on the same sshd in one run.
const { values } = parseArgs({ options: { times: { type: 'string', default: '60' } } });
const TIMES = Number.parseInt(values.times, 10);
const MB = 100;
const LINE = 'all work and no play makes a dull log';
const FLOOD = `yes '${LINE}' | head -c ${MB * 1024 * 1024}`;

const world = await startExecWorld();
const ssh = openSsh(world);
try {
  await compareOne();
  await compareMany();
  await compareFlood();
  await measureRate();
} finally {
  ssh.close();
  await world.stop();
}

/** One small command: from approved row to result row. */
async function compareOne(): Promise<void> {
  ssh.master('one');
  const master = await timed(() => ssh.run('true', 'one'));
  const fresh = await timed(() => ssh.run('true', undefined), Math.ceil(TIMES / 2));
  const plain = await timed(() => world.run('true'));
  const detached = await timed(() => world.run('true', { risk: 'config_mutation' }));
  console.log('one command, ms             p50     p99');
  for (const [name, times] of [
    ['OpenSSH ControlMaster', master],
    ['OpenSSH fresh', fresh],
    ['read_only, plain channel', plain],
    ['change, detached runner', detached],
  ] as const) {
    console.log(`  ${name.padEnd(24)} ${ms(at(times, 0.5))} ${ms(at(times, 0.99))}`);
  }
  ratio('read_only / ControlMaster', at(plain, 0.5) / at(master, 0.5), '≤ 2');
  ratio('detached / fresh ssh', at(detached, 0.5) / at(fresh, 0.5), '≤ 0.6');
  console.log(
    `detached over plain: ${(at(detached, 0.5) - at(plain, 0.5)).toFixed(1)} ms at p50 (aim: 30)`,
  );
}

/** Twenty hosts at once. */
async function compareMany(): Promise<void> {
  for (const host of HOSTS) ssh.master(host);
  await Promise.all(HOSTS.map((host) => world.run('true', { host })));
  const together = (work: (host: string) => Promise<number>) => async () => {
    const began = performance.now();
    await Promise.all(HOSTS.map(work));
    return performance.now() - began;
  };
  const ours = await timed(
    together((host) => world.run('true', { host })),
    Math.ceil(TIMES / 4),
  );
  const masters = await timed(
    together((host) => ssh.run('true', host)),
    Math.ceil(TIMES / 4),
  );
  console.log(
    `20 hosts, ms: ours ${at(ours, 0.5).toFixed(0)}, ControlMaster ${at(masters, 0.5).toFixed(0)}`,
  );
  ratio('20 hosts / ControlMaster', at(ours, 0.5) / at(masters, 0.5), '≤ 1');
  if (spawnSync('ansible', ['--version']).status !== 0) {
    console.log('ansible is not installed here: not compared');
  }
}

/** Much output. */
async function compareFlood(): Promise<void> {
  const mastered = MB / ((await ssh.run(FLOOD, 'one')) / 1_000);
  for (const risk of [undefined, 'config_mutation'] as const) {
    const before = world.memory();
    const took = await world.run(FLOOD, risk ? { risk } : {});
    const after = world.memory();
    const name = risk ? 'detached' : 'plain';
    console.log(
      `${MB} MB of output, ${name}: ${(MB / (took / 1_000)).toFixed(0)} MB/s ` +
        `(ControlMaster ${mastered.toFixed(0)}); RSS ${before.now} MB before, ${after.now} after, ${after.peak} at most`,
    );
  }
}

async function measureRate(): Promise<void> {
  const reads = await world.runMany('true', 1_000, undefined);
  const changes = await world.runMany('true', 200, 'config_mutation');
  console.log(`1000 approved reads: ${(1_000 / reads).toFixed(0)} starts/s`);
  console.log(`200 approved changes: ${(200 / changes).toFixed(0)} starts/s`);
}

async function timed(work: () => Promise<number>, times = TIMES): Promise<number[]> {
  await work();
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) all.push(await work());
  return all.sort((a, b) => a - b);
}

function at(times: readonly number[], share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

function ms(value: number): string {
  return value.toFixed(1).padStart(7);
}

function ratio(name: string, value: number, limit: string): void {
  console.log(`ratio ${name}: ${value.toFixed(2)} (limit ${limit})`);
}
