import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chanceFrom } from '../lab/chaos/chance.ts';
import { FAULTS, type Fault } from '../lab/chaos/faults.ts';
import { playRound } from '../lab/chaos/round.ts';
import { type ChaosWorld, startChaosWorld } from '../lab/chaos/world.ts';

// Every fault, many times, at random moments: each approved command ran once and was told once.
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '20' },
    seed: { type: 'string', default: `${process.pid}` },
    only: { type: 'string', default: '' },
  },
});
const times = Number.parseInt(values.times, 10);
const seed = Number.parseInt(values.seed, 10);
const faults = FAULTS.filter(({ name }) => name.includes(values.only));

interface Tally {
  readonly name: string;
  readonly runs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly wrong: number;
  readonly seconds: number;
}

console.log(`chaos: ${faults.length} faults, ${times} times each, seed ${seed}`);
const world = await startChaosWorld(fileURLToPath(new URL('..', import.meta.url)));
const chance = chanceFrom(seed);
const tallies: Tally[] = [];
let round = 0;
try {
  for (const fault of faults) tallies.push(await repeated(world, fault));
} finally {
  await world.stop();
}
console.log(`\n${'fault'.padEnd(26)} runs  lost  doubled  otherwise wrong  s a round`);
for (const { name, runs, lost, doubled, wrong, seconds } of tallies) {
  const cells = [
    `${runs}`.padStart(4),
    `${lost}`.padStart(5),
    `${doubled}`.padStart(8),
    `${wrong}`.padStart(16),
  ];
  console.log(`${name.padEnd(26)} ${cells.join(' ')}  ${(seconds / runs).toFixed(1).padStart(9)}`);
}
const sum = (pick: (tally: Tally) => number) => tallies.reduce((all, one) => all + pick(one), 0);
console.log(
  `chaos: ${sum(({ runs }) => runs)} runs, ${sum(({ lost }) => lost)} lost, ${sum(({ doubled }) => doubled)} doubled`,
);
process.exit(sum(({ lost, doubled, wrong }) => lost + doubled + wrong) === 0 ? 0 : 1);

async function repeated(on: ChaosWorld, fault: Fault): Promise<Tally> {
  const began = performance.now();
  let [lost, doubled, wrong] = [0, 0, 0];
  for (let time = 0; time < times; time += 1) {
    round += 1;
    const result = await playRound(on, fault, round, chance);
    if (result.starts === 0) lost += 1;
    else if (result.starts > 1) doubled += 1;
    else if (result.wrong.length > 0) wrong += 1;
    for (const what of result.wrong) console.log(`${fault.name}, round ${round}: ${what}`);
  }
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${fault.name}: ${times} rounds in ${seconds.toFixed(0)} s`);
  return { name: fault.name, runs: times, lost, doubled, wrong, seconds };
}
