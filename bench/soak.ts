import { readFile } from 'node:fs/promises';
import { untilIdle } from '../lab/idle.ts';
import { rule } from '../lab/model/scenario.ts';
import { runs } from '../lab/model/scenarios/steps.ts';
import { benchWorld } from './room-world.ts';

/**
 * Many messages and cards through one bot: does its memory stay flat? Prints the resident memory as
 * it goes, and its growth after the first quarter, which is warm-up. Above 15 % it ends with 1.
 */
const MESSAGES = Number(process.argv[2] ?? 2_000);
const CARDS = Number(process.argv[3] ?? 300);
const MOST_GROWTH = 0.15;

const change = rule({
  name: 'change',
  when: ({ words, fresh }) => (fresh && words.startsWith('touch ') ? words : undefined),
  reply: (_view, words) => runs('host:lab', words, 'a measurement'),
});
const rest = rule({ name: 'rest', when: () => true, reply: () => ({ text: 'Noted.' }) });

await using stack = new AsyncDisposableStack();
const { operator, roomId, bot, db } = await benchWorld(stack, [change, rest]);
const every = Math.max(1, Math.round(MESSAGES / CARDS));
const seen: number[] = [];
for (let n = 1; n <= MESSAGES; n += 1) {
  const last = await speak(n);
  if (n % 25 === 0) await untilIdle(db, { eventId: last });
  // Tasks end, as they do in life: nobody talks two thousand times about one thing.
  if (n % 50 === 0) await untilIdle(db, { eventId: await operator.say(roomId, '!oikos new') });
  if (n % Math.max(1, Math.round(MESSAGES / 20)) !== 0) continue;
  const megabytes = await residentMegabytes();
  seen.push(megabytes);
  console.log(`${n} messages: ${megabytes.toFixed(0)} MB`);
}
const warm = seen.slice(Math.floor(seen.length / 4));
const [first = 0] = warm;
const growth = ((warm.at(-1) ?? first) - first) / first;
console.log(`growth after warm-up: ${(growth * 100).toFixed(1)} %`);
if (growth > MOST_GROWTH) process.exitCode = 1;

/** An ordinary message, or every so often a change that is denied at once. */
async function speak(n: number): Promise<string> {
  if (n % every !== 0) return operator.say(roomId, `message ${n}`);
  const asked = await operator.say(roomId, `touch /srv/soak-${n}`);
  await untilIdle(db, { eventId: asked });
  return operator.say(roomId, 'no');
}

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${bot.pid() ?? 0}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}
