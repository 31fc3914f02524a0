import { setTimeout as sleep } from 'node:timers/promises';
import { and, asc, eq } from 'drizzle-orm';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { executionOutput, executions, turns } from '../../shared/db/schema.ts';
import { isFinal } from '../../shared/domain/execution.ts';
import { untilIdle } from '../idle.ts';
import { until } from '../services/until.ts';
import type { Fault } from './faults.ts';
import type { ChaosWorld } from './world.ts';

/** What one injured run came to. */
export interface RoundResult {
  /** How often the command began on the host. */
  readonly starts: number;
  /** It was left between its claim and its start, and the room was told that nothing was started. */
  readonly neverBegan: boolean;
  /** Everything that is not as it must be, in words. */
  readonly wrong: readonly string[];
}

/** A run takes about a second; the fault comes somewhere between the yes and its end. */
const RUN_SECONDS = 0.8;
const LATEST_FAULT_MS = 1_400;
const PATIENCE_MS = 90_000;
const LINES = Array.from({ length: 300 }, (_none, at) => `${at + 1}\n`).join('');

/** Says yes to a command, injures the world at a random moment, and looks at what became of it. */
export async function playRound(
  world: ChaosWorld,
  fault: Fault,
  number: number,
  chance: () => number,
): Promise<RoundResult> {
  const { db, operator, roomId } = world;
  const file = `/srv/chaos-${number}`;
  const code = number % 3;
  const command = `echo ran >> ${file} && sleep ${RUN_SECONDS} && seq 1 300 && exit ${code}`;
  await untilIdle(db, { eventId: await operator.say(roomId, 'stop') });
  await untilIdle(db, { eventId: await operator.say(roomId, `run ${command} on host:lab`) });
  await operator.say(roomId, 'yes');
  await sleep(chance() * LATEST_FAULT_MS);
  await fault.inject(world, chance);
  await until(() => finished(world, command), { patienceMs: PATIENCE_MS });
  await untilIdle(db, { patienceMs: PATIENCE_MS });
  const row = await finished(world, command);

  const starts = await startsOf(world, file);
  const neverBegan = starts === 0 && (row.reason ?? '').startsWith('nothing was started');
  const ranWrong = [
    ...(starts === 1 ? [] : [`started ${starts} times`]),
    ...(row.exitCode === code ? [] : [`${row.status}, exit code ${row.exitCode}: ${row.reason}`]),
    ...((await outputOf(world, row)) === LINES ? [] : ['its output is not whole']),
  ];
  const wrong = [
    ...(neverBegan ? [] : ranWrong),
    ...(await wrongInRoom(world, row)),
    ...(await wrongForAgent(world, row)),
  ];
  return { starts, neverBegan, wrong };
}

/** The database may be away: then it is asked again. */
async function finished({ db }: ChaosWorld, command: string): Promise<ExecutionRow> {
  const [row] = await db.select().from(executions).where(eq(executions.command, command));
  if (!row || !isFinal(row.status)) throw new Error(`${command} is ${row?.status ?? 'not there'}`);
  return row;
}

async function startsOf({ host }: ChaosWorld, file: string): Promise<number> {
  const { stdout } = await host.run(`cat ${file} 2>/dev/null; true`);
  return stdout.split('\n').filter((line) => line === 'ran').length;
}

async function outputOf({ db }: ChaosWorld, { id }: ExecutionRow): Promise<string> {
  const rows = await db
    .select({ text: executionOutput.text })
    .from(executionOutput)
    .where(eq(executionOutput.executionId, id))
    .orderBy(asc(executionOutput.seq));
  return rows.map(({ text }) => text).join('');
}

/** One card, which shows the end. */
async function wrongInRoom(world: ChaosWorld, row: ExecutionRow): Promise<string[]> {
  const cards = () => world.botSaid().filter((item) => cardNumber(item.content) === row.number);
  const shows = () => cards().some(({ body }) => body.includes(row.status));
  await until(
    async () => {
      if (!shows()) throw new Error('not shown yet');
    },
    { patienceMs: 10_000 },
  ).catch(() => undefined);
  return [
    ...(shows() ? [] : [`the room does not show that it ${row.status}`]),
    ...(cards().length === 1 ? [] : [`the room has ${cards().length} cards of it`]),
  ];
}

function cardNumber(content: Readonly<Record<string, unknown>>): unknown {
  const card = content['io.oikos.card'];
  return typeof card === 'object' && card !== null && 'number' in card ? card.number : undefined;
}

/** Called again once, with the end. */
async function wrongForAgent({ db }: ChaosWorld, row: ExecutionRow): Promise<string[]> {
  const again = await db
    .select({ id: turns.id })
    .from(turns)
    .where(and(eq(turns.taskId, row.taskId), eq(turns.trigger, 'continuation')));
  const told = again.filter(({ id }) => id === row.seenInTurn).length;
  return told === 1 ? [] : [`the agent was called ${told} times with its end`];
}
