import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { decideCard } from '../../cli/approvals/decide.ts';
import { rule } from '../../lab/model/scenario.ts';
import { until } from '../../lab/services/until.ts';
import {
  approvals,
  auditEvents,
  decisions,
  executions,
  matrixState,
  turns,
} from '../../shared/db/schema.ts';
import { createToken } from '../../shared/db/tokens.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { type SdkPerson, sdkPerson } from '../support/sdk-person.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

const onLab = (command: string) => ({
  name: 'run',
  args: { target: 'host:lab', command, purpose: 'a test' },
});
/** 6,000 characters, and only the last line destroys. */
const LONG = `${Array.from({ length: 180 }, (_, n) => `echo "step ${n} of a long procedure"`).join('\n')}\nrm -rf /srv`;
const scenario = [
  rule({
    name: 'one card a line',
    when: ({ words, fresh }) => (fresh ? /^please:\n(.+)$/s.exec(words)?.[1] : undefined),
    reply: (_view, lines) => ({ calls: lines.split('\n').map(onLab) }),
  }),
  rule({
    name: 'long',
    when: ({ words, fresh }) => (fresh && words === 'clean up' ? true : undefined),
    reply: () => ({ calls: [onLab(LONG)] }),
  }),
  rule({
    name: 'asks',
    when: ({ words, fresh }) => (fresh && words === 'and the proxy' ? true : undefined),
    reply: () => ({ text: 'Use port 8080 for it?' }),
  }),
  rule({ name: 'rest', when: () => true, reply: () => ({ text: 'Noted.' }) }),
];

interface Card {
  readonly number: number;
  readonly event: string;
}

describe('every way to decide, in a client on matrix-js-sdk', () => {
  let world: TestWorld;
  let person: SdkPerson;
  let apiToken: string;
  let hours = 0;
  beforeAll(async () => {
    world = await testWorld({ scenario });
    const { userId, token } = world.operator;
    person = await sdkPerson({ url: inject('synapse')?.url ?? '', userId, token });
    apiToken = await createToken(world.db, world.seals, userId, 'the test');
  });
  afterAll(async () => {
    await person?.stop();
    await world?.stop();
  });

  const say = async (text: string) => {
    const event = await person.say(world.roomId, text);
    await world.settle(event);
    return event;
  };
  /** Cards that wait, and no window of an earlier yes. */
  const propose = async (...commands: string[]): Promise<Card[]> => {
    hours += 1;
    await world.moveClock(hours * 60);
    await say(`please:\n${commands.join('\n')}`);
    const rows = await world.db.select().from(executions);
    return commands.map((command) => {
      const number = rows.findLast((row) => row.command === command)?.number ?? 0;
      return { number, event: world.card(number).eventId };
    });
  };
  const proposeOne = async (command: string) => {
    const [card] = await propose(command);
    if (!card) throw new Error('no card');
    return card;
  };
  const statusOf = async ({ number }: Card) => (await world.execution(number)).status;
  const untilRunning = (card: Card) =>
    until(async () => expect(await statusOf(card)).toBe('running'));
  const bodyOf = (event: string) =>
    String(person.shown(world.roomId, event).getContent()['body'] ?? '');
  const lastWords = () => world.botSaid().at(-1)?.body ?? '';

  async function approvalOf({ number }: Card): Promise<string> {
    const { id } = await world.execution(number);
    const [row] = await world.db.select().from(approvals).where(eq(approvals.executionId, id));
    return row?.id ?? '';
  }

  async function http(card: Card, decision: 'granted' | 'denied'): Promise<void> {
    const answer = await fetch(`${world.bot.url}/v1/approvals/${await approvalOf(card)}/decision`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiToken}` },
      body: JSON.stringify({ decision }),
    });
    expect(answer.status).toBe(200);
  }

  async function cli({ number }: Card, decision: 'granted' | 'denied'): Promise<void> {
    const env = { OIKOS_TOKEN: apiToken, BOT_HTTP_PORT: new URL(world.bot.url).port };
    const ask = { number: `#${number}`, decision, phrase: undefined, room: undefined };
    const deps = { env, terminal: scriptedTerminal(), fetch };
    expect(await decideCard(ask, deps), deps.terminal.lines.join('\n')).toBe(true);
  }

  /** Who decided it and how by the rows, whom the ledger names, and how the client shows its end. */
  async function decidedAs(card: Card) {
    const execution = await world.execution(card.number);
    const ofCard = eq(decisions.approvalId, await approvalOf(card));
    const [decision, ...more] = await world.db.select().from(decisions).where(ofCard);
    expect(more).toEqual([]);
    const ledger = await world.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.executionId, execution.id));
    const moved = ledger.filter(({ kind }) => /^execution\.(?:granted|denied)$/.test(kind));
    return {
      status: execution.status,
      decision: decision?.decision,
      by: decision?.by,
      how: decision?.how,
      ledger: moved.map(({ actor }) => actor),
      shown: /^#\d+ ([\w-]+)/.exec(bodyOf(card.event))?.[1],
    };
  }

  type Way = readonly [name: string, how: string, act: (card: Card) => Promise<unknown>];

  /** All cards of one turn, each by a way of its own, in one go. */
  async function decideEach(ways: readonly Way[], kind: 'granted' | 'denied'): Promise<Card[]> {
    const cards = await propose(...ways.map(([name]) => `touch '/srv/${kind} by ${name}'`));
    for (const [at, [, , act]] of ways.entries()) await act(cards[at] ?? { number: 0, event: '' });
    await world.settle();
    const by = person.userId;
    const [status, shown] =
      kind === 'granted' ? (['completed', 'completed'] as const) : (['denied', 'denied'] as const);
    await until(async () => {
      for (const [at, [name, how]] of ways.entries()) {
        const card = cards[at] ?? { number: 0, event: '' };
        expect(await decidedAs(card), name).toEqual({
          status,
          decision: kind,
          by,
          how,
          ledger: [by],
          shown,
        });
      }
    });
    return cards;
  }

  it('denies', async () => {
    await decideEach(
      [
        ['👎', 'reaction', ({ event }) => person.react(world.roomId, event, '👎')],
        ['🛑', 'reaction', ({ event }) => person.react(world.roomId, event, '🛑')],
        ['a reply', 'reply', ({ event }) => person.reply(world.roomId, event, "no, don't")],
        [
          'a command',
          'words',
          ({ number }) => person.say(world.roomId, `!oikos deny ${number} the backup runs`),
        ],
        ['HTTP', 'http', (card) => http(card, 'denied')],
        ['the terminal', 'cli', (card) => cli(card, 'denied')],
      ],
      'denied',
    );
    expect(JSON.stringify(world.model.requests.at(-1)?.body)).toContain(
      `${person.userId} said no: the backup runs`,
    );
  });

  it('grants', async () => {
    const cards = await decideEach(
      [
        ['👍', 'reaction', ({ event }) => person.react(world.roomId, event, '👍🏽')],
        ['a reply', 'reply', ({ event }) => person.reply(world.roomId, event, 'yes')],
        ['a quote', 'reply', ({ event }) => person.quote(world.roomId, event, 'go ahead')],
        ['its thread', 'reply', ({ event }) => person.sayInThread(world.roomId, event, 'yes')],
        [
          'a command',
          'words',
          ({ number }) => person.say(world.roomId, `!oikos approve ${number}`),
        ],
        ['HTTP', 'http', (card) => http(card, 'granted')],
      ],
      'granted',
    );
    const seeded = person.reactionsTo(world.roomId, cards[1]?.event ?? '');
    expect(seeded.filter(({ sender }) => sender === world.botId).map(({ key }) => key)).toEqual([
      '👍',
      '👎',
    ]);
  });

  it('grants from the terminal, and by plain words what is left', async () => {
    await decideEach(
      [
        ['the terminal', 'cli', (card) => cli(card, 'granted').then(() => world.settle())],
        ['words', 'words', () => person.say(world.roomId, 'go ahead')],
      ],
      'granted',
    );
  });

  it('grants what destroys by its sentence', async () => {
    const card = await proposeOne('pct destroy 140');
    await say('yes');
    expect(await statusOf(card)).toBe('pending_approval');
    await say('I confirm destroy 140');
    expect(await decidedAs(card)).toMatchObject({ status: 'completed', how: 'typed' });
  });

  it('takes a 👍 back with its reaction, as long as nothing has started', async () => {
    const card = await proposeOne('touch /srv/taken-back');
    await world.daemon.end('SIGTERM');
    const reaction = await person.react(world.roomId, card.event, '👍');
    await until(async () => expect(await statusOf(card)).toBe('approved'));
    await person.redact(world.roomId, reaction);
    await until(async () => expect(await statusOf(card)).toBe('cancelled'));
    await world.daemon.start();
    await world.settle();
    expect((await world.host.run('ls /srv')).stdout).not.toContain('taken-back');
  });

  it('stops what runs by a 🛑 on it', async () => {
    const card = await proposeOne('touch /srv/began && seq 400 && sleep 60');
    await person.say(world.roomId, 'yes');
    await untilRunning(card);
    await world.settle(await person.react(world.roomId, card.event, '🛑'));
    expect(await statusOf(card)).toBe('cancelled');
    const inThread = person.events(world.roomId, card.event).map((event) => event.getContent());
    expect(inThread.at(-1)).toMatchObject({ msgtype: 'm.notice' });
    expect(inThread.at(-1)?.['body']).toContain('399\n400');
  });

  it('takes no edit for a yes, and stop for the end of the card', async () => {
    const card = await proposeOne('touch /srv/edited');
    const event = await say('what is it for');
    await world.settle(await person.edit(world.roomId, event, `yes #${card.number}`));
    expect(await statusOf(card)).toBe('pending_approval');
    await say('stop');
    expect(await statusOf(card)).toBe('cancelled');
    await until(async () => expect(bodyOf(card.event)).toContain('cancelled'));
  });

  it('C6: takes the yes to a question for no card', async () => {
    const card = await proposeOne('touch /srv/answered');
    await say('and the proxy');
    await say('yes');
    expect(await statusOf(card)).toBe('pending_approval');
    expect(JSON.stringify(world.model.requests.at(-1)?.body.messages.at(-1))).toContain('yes');
    await say(`no #${card.number}`);
    expect(await decidedAs(card)).toMatchObject({ decision: 'denied', how: 'words' });
  });

  it('C7, C10: shows what destroys first, the rest in a file, and starts nothing by an eager yes', async () => {
    await say('clean up');
    const number = (await world.db.select().from(executions)).find(
      ({ command }) => command === LONG,
    )?.number;
    const card = { number: number ?? 0, event: world.card(number ?? 0).eventId };
    const body = bodyOf(card.event);
    expect(body.indexOf('rm -rf /srv')).toBeGreaterThan(-1);
    expect(body.indexOf('rm -rf /srv')).toBeLessThan(body.indexOf('step 3 '));
    expect(body).toMatch(/sha256 [0-9a-f]{64}/);
    const file = person
      .events(world.roomId)
      .find((event) => event.getContent()['msgtype'] === 'm.file');
    expect(file && (await person.download(file))).toBe(LONG);
    await say('yeah go for it');
    expect(await statusOf(card)).toBe('pending_approval');
    expect(lastWords()).toContain('I confirm rm /srv');
    await say('stop');
  });

  it('C9: hears nothing of what was said before its stored position', async () => {
    const card = await proposeOne('touch /srv/old');
    await world.bot.end('SIGKILL');
    for (const words of ['go ahead', '/restart', '!deploy', `yes #${card.number}`])
      await person.say(world.roomId, words);
    await person.react(world.roomId, card.event, '👍');
    await world.db.delete(matrixState).where(eq(matrixState.key, 'sync_token'));
    const before = { said: world.botSaid().length, turns: await turnCount() };
    await world.bot.start();
    await say('!oikos why 1');
    expect(await statusOf(card)).toBe('pending_approval');
    expect({ said: world.botSaid().length, turns: await turnCount() }).toEqual({
      said: before.said + 1,
      turns: before.turns,
    });
  });

  const turnCount = async () => (await world.db.select().from(turns)).length;
});
