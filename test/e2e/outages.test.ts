import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, rule } from '../../lab/model/scenario.ts';
import { exactCommand } from '../../lab/model/scenarios/change.ts';
import { decisions, executions, turns } from '../../shared/db/schema.ts';
import { type CutWorld, cutWorld, slowThought } from '../support/cut-world.ts';
import type { TestWorld } from '../support/world.ts';

const chat = rule({
  name: 'chat',
  when: ({ words, fresh }) => (fresh && words.startsWith('hello') ? words : undefined),
  reply: (_view, words) => ({ text: `Hello to: ${words}` }),
});
const FAULTS: Readonly<Record<string, Fault>> = {
  auth: { kind: 'status', status: 401 },
  quota: { kind: 'status', status: 429, code: 'insufficient_quota' },
  request: { kind: 'status', status: 400 },
  html: { kind: 'html' },
};
const failing = rule({
  name: 'failing',
  when: ({ words }) => FAULTS[/^fail with (\w+)$/.exec(words)?.[1] ?? ''],
  reply: (_view, fault) => ({ fault }),
});
const empty = rule({
  name: 'empty',
  when: ({ messages }) =>
    messages.slice(-2).some(({ content }) => content?.includes('fail with nothing')) || undefined,
  reply: () => ({ text: ' ' }),
});

const OUTAGE_MS = 2_500;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('an outage under the running bot', () => {
  let world: TestWorld;
  let lines: CutWorld['lines'];
  let stop: CutWorld['stop'] | undefined;
  beforeAll(async () => {
    ({ world, lines, stop } = await cutWorld([slowThought, chat, failing, empty, exactCommand]));
  });
  afterAll(() => stop?.());

  const outage = async (name: keyof typeof lines) => {
    await lines[name].cut();
    await wait(OUTAGE_MS);
    await lines[name].mend();
  };
  const answersTo = (text: string) => world.botSaid().filter(({ body }) => body.includes(text));

  it.each(['database', 'homeserver', 'queue'] as const)(
    'of the %s: a turn that it interrupts is answered once, and the next one too',
    async (name) => {
      const event = await world.operator.say(world.roomId, `think about the ${name}`);
      await wait(700);
      await outage(name);
      await world.settle(event);
      const after = await world.operator.say(world.roomId, `hello after the ${name}`);
      await world.settle(after);
      expect(world.bot.running() && world.daemon.running()).toBe(true);
      const live = (await world.db.select().from(turns)).filter(({ status }) => status !== 'ended');
      expect(live).toEqual([]);
      expect(answersTo(`after the ${name}`)).toHaveLength(1);
      expect(
        answersTo(`about the ${name}`).length + answersTo('went wrong').length,
      ).toBeGreaterThan(0);
      expect(answersTo(`Thought about: think about the ${name}`).length).toBeLessThanOrEqual(1);
    },
  );

  it('of the queue: a yes is carried out all the same', async () => {
    await lines.queue.cut();
    await world.chat('run touch /srv/without-queue on host:lab');
    const event = await world.operator.say(world.roomId, 'yes');
    await world.settle(event);
    await lines.queue.mend();
    const [row] = await world.db
      .select()
      .from(executions)
      .where(eq(executions.command, 'touch /srv/without-queue'));
    expect(row).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['auth', 'does not accept the API key'],
    ['quota', 'no credit left'],
    ['html', 'not as a chat endpoint'],
    ['request', 'rejected the request'],
    ['nothing', 'could not be used'],
  ])('of the model (%s): the room is told what is wrong', async (kind, words) => {
    await world.chat(`fail with ${kind}`);
    expect(answersTo(words)).not.toEqual([]);
    const rows = await world.db.select().from(turns);
    expect(rows.find(({ error }) => error?.includes(words))).toMatchObject({ outcome: 'failed' });
  });

  it('of the bot, with 120 messages missed: a yes among them counts once', async () => {
    await world.moveClock(24 * 60);
    await world.chat('run touch /srv/missed on host:lab');
    await world.bot.end('SIGKILL');
    const yes = await world.operator.say(world.roomId, 'yes');
    for (let n = 1; n < 120; n += 1) await world.operator.say(world.roomId, `hello ${n}`);
    await world.bot.start();
    await world.settle(yes);
    const rows = await world.db
      .select()
      .from(executions)
      .where(eq(executions.command, 'touch /srv/missed'));
    expect(rows).toMatchObject([{ status: 'completed' }]);
    const taken = await world.db.select().from(decisions).where(eq(decisions.eventId, yes));
    expect(taken).toMatchObject([{ decision: 'granted' }]);
    const messages = JSON.stringify(world.model.requests.at(-1)?.body.messages);
    for (const n of [1, 60, 119]) expect(messages).toContain(`hello ${n}`);
  });
});
