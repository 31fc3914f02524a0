import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chanceFrom } from '../../lab/chaos/chance.ts';
import { FAULTS, type Fault } from '../../lab/chaos/faults.ts';
import { playRound } from '../../lab/chaos/round.ts';
import { type ChaosWorld, startChaosWorld } from '../../lab/chaos/world.ts';

/** The short form of `npm run chaos`: the quick faults, once each. */
const QUICK: readonly string[] = [
  'kill -9 the daemon',
  'kill -9 the bot',
  'restart Postgres',
  'flush the queue',
  'cut the SSH connection',
];
const seed = process.pid;
const chance = chanceFrom(seed);

let world: ChaosWorld;
let round = 0;
beforeAll(async () => {
  world = await startChaosWorld(fileURLToPath(new URL('../..', import.meta.url)));
});
afterAll(() => world?.stop());

it.each(
  QUICK.map((name): [string, Fault | undefined] => [name, FAULTS.find((one) => one.name === name)]),
)(
  `%s: run once or told as not begun, recorded whole and told once (seed ${seed})`,
  async (_name, fault) => {
    if (!fault) throw new Error('no such fault');
    round += 1;
    const { starts, neverBegan, wrong } = await playRound(world, fault, round, chance);
    expect(wrong).toEqual([]);
    // A daemon killed between claim and start leaves nothing to find: told so, and never repeated.
    expect(starts).toBe(neverBegan ? 0 : 1);
  },
);
