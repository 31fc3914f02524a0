import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { createMatrixApi } from '../lab/console/matrix-api.ts';
import { untilIdle } from '../lab/idle.ts';
import { rule } from '../lab/model/scenario.ts';
import { runs } from '../lab/model/scenarios/steps.ts';
import { executions } from '../shared/db/schema.ts';
import { startEcho, watchReceipts } from './room-echo.ts';
import { type BenchWorld, benchWorld } from './room-world.ts';

/**
 * How long a person waits, as ratios to a bare echo bot on the same homeserver in the same run: until
 * the receipt, until the model is asked, and from a yes until its command starts. The aim is 1.5.
 */
const ROUNDS = Number(process.argv[2] ?? 30);

const askedAt = new Map<string, number>();
const talk = rule({
  name: 'talk',
  when: ({ words, fresh }) => (fresh && words.startsWith('m') ? words : undefined),
  reply(_view, words) {
    askedAt.set(words, performance.now());
    return { text: 'Fine.' };
  },
});
const change = rule({
  name: 'change',
  when: ({ words, fresh }) => (fresh && words.startsWith('touch ') ? words : undefined),
  reply: (_view, words) => runs('host:lab', words, 'a measurement'),
});
const rest = rule({ name: 'rest', when: () => true, reply: () => ({ text: 'Noted.' }) });

const until = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined) => {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not seen: ${what}`);
    await sleep(2);
  }
};

await using stack = new AsyncDisposableStack();
const world = await benchWorld(stack, [talk, change, rest]);
const { operator, homeserver, roomId } = world;
const account = await world.login('echo');
const echoApi = createMatrixApi({ url: homeserver, token: account.accessToken });
const echoRoom = await operator.createRoom({ name: 'Echo', invite: [account.userId] });
await echoApi('POST', `/join/${encodeURIComponent(echoRoom)}`, {});
stack.defer(startEcho({ url: homeserver, token: account.accessToken, userId: account.userId }));
let reader = account.userId;
const receipts = watchReceipts({ url: homeserver, token: operator.token }, () => reader);
stack.defer(receipts.stop);
await sleep(1_000);

const echo = { receipt: [] as number[], reply: [] as number[] };
const oikos = { receipt: [] as number[], model: [] as number[], start: [] as number[] };
for (let n = 0; n < ROUNDS; n += 1) {
  reader = account.userId;
  const sent = performance.now();
  const id = await operator.say(echoRoom, `e${n}`);
  await operator.waitFor(({ body }) => body === `echo e${n}`);
  echo.reply.push(performance.now() - sent);
  echo.receipt.push((await until('a receipt', () => receipts.seen.get(id))) - sent);
  reader = world.botId;
  const said = performance.now();
  const own = await operator.say(roomId, `m${n}`);
  oikos.model.push((await until('a model call', () => askedAt.get(`m${n}`))) - said);
  oikos.receipt.push((await until('a receipt', () => receipts.seen.get(own))) - said);
  // Words in a turn that still goes on are read by it: they start nothing of their own.
  await untilIdle(world.db, { eventId: own });
}
for (let n = 1; n <= Math.ceil(ROUNDS / 3); n += 1) oikos.start.push(await startOf(world, n));

console.log(`${ROUNDS} rounds, ms               p50     p95   ratio p50  ratio p95`);
show('echo: message → receipt', echo.receipt);
show('echo: message → reply seen', echo.reply);
show('message → receipt', oikos.receipt, echo.receipt);
show('message → first model call', oikos.model, echo.reply);
show('yes → command started', oikos.start, echo.reply);

/** From the yes to the moment that the daemon claimed the command; both clocks are this machine's. */
async function startOf({ db }: BenchWorld, n: number): Promise<number> {
  await untilIdle(db, { eventId: await operator.say(roomId, '!oikos revoke') });
  const command = `touch /srv/bench-${n}`;
  const event = await operator.say(roomId, command);
  const asked = await operator.waitFor(({ body }) => body.includes(`needs your yes: ${command} `));
  const number = /^#(\d+)/.exec(asked.body)?.[1];
  await untilIdle(db, { eventId: event });
  const said = Date.now();
  const yes = await operator.say(roomId, `yes #${number}`);
  const row = await until('a start', async () => {
    const [found] = await db.select().from(executions).where(eq(executions.command, command));
    return found?.startedAt ?? undefined;
  });
  await untilIdle(db, { eventId: yes });
  return row.getTime() - said;
}

function show(name: string, times: readonly number[], base?: readonly number[]): void {
  const at = (list: readonly number[], share: number) =>
    list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;
  const [p50, p95] = [at(times, 0.5), at(times, 0.95)];
  const cell = (value: number) => value.toFixed(0).padStart(8);
  const ratio = (value: number, of: number) => `${(value / of).toFixed(2)} ×`.padStart(11);
  const ratios = base ? ratio(p50, at(base, 0.5)) + ratio(p95, at(base, 0.95)) : '';
  console.log(`${name.padEnd(27)}${cell(p50)}${cell(p95)}${ratios}`);
}
