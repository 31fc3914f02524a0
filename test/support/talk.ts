import { randomUUID } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import type { Llm, LlmRequest } from '../../bot/agent/llm.ts';
import { NO_USAGE, type Reply } from '../../bot/agent/reply.ts';
import { toolRegistry } from '../../bot/agent/tools/index.ts';
import { completeTask } from '../../bot/conversation/complete.ts';
import { type Mailbox, openMailbox } from '../../bot/conversation/mailbox.ts';
import type { AttachedText, MessageContent, RoomPort } from '../../bot/conversation/ports.ts';
import { startReader } from '../../bot/conversation/reader.ts';
import { fitsInMessage } from '../../bot/matrix/content.ts';
import { incomingOf } from '../../bot/matrix-ports.ts';
import { startRelay, type TellTrouble } from '../../bot/relay.ts';
import type { TellDeps } from '../../bot/telling/deps.ts';
import { watchEnds } from '../../bot/wait-for-end.ts';
import { readNow } from '../../shared/db/clock.ts';
import { advance, type ExecutionRow } from '../../shared/db/executions.ts';
import { inboxStore } from '../../shared/db/inbox.ts';
import { listen } from '../../shared/db/listen.ts';
import { saveOutput } from '../../shared/db/output.ts';
import { executions, matrixInbox, outbox, turns } from '../../shared/db/schema.ts';
import type { ExecutionEvent } from '../../shared/domain/execution.ts';
import { createLog } from '../../shared/log.ts';
import { propose } from '../../shared/propose.ts';
import { type House, house, OPERATOR, ROOM, VIEWER } from './house.ts';
import { testSeals } from './seals.ts';

/** How the doubles' failures are to be understood. */
const TROUBLES = new Map<string, TellTrouble>([
  ['M_FORBIDDEN', 'refused'],
  ['fetch failed', 'unreachable'],
]);

export const BOT = '@nomos:oikos.test';

export interface Sent {
  readonly roomId: string;
  readonly eventId: string;
  readonly content: MessageContent;
  /** The event that it replaces. */
  readonly edits?: string;
}

export type Model = (request: LlmRequest, signal?: AbortSignal) => Reply | Promise<Reply>;

export interface Talk extends House {
  readonly sent: Sent[];
  readonly files: string[];
  /** The threads that files were put into, in their order. */
  readonly fileThreads: AttachedText['thread'][];
  /** Who is in the rooms, and whether a bridge is. */
  company: { members: readonly string[]; bridge: boolean };
  readonly requests: LlmRequest[];
  readonly mailbox: Mailbox;
  /** What the room is asked to do fails like this, until it is unset. */
  trouble: ((what: string, roomId: string) => Error | undefined) | undefined;
  /** What the room is asked to do hangs until this is over. */
  hang: ((roomId: string, what: string) => Promise<void> | undefined) | undefined;
  model: Model;
  /** An event as the sync would bring it; answers its id. */
  event(event: Partial<IncomingEvent>): Promise<string>;
  say(text: string, more?: Partial<IncomingEvent>): Promise<string>;
  settled(patienceMs?: number): Promise<void>;
  /** Does what the daemon would do to an approved command. */
  runs(number: number, end?: ExecutionEvent, output?: string): Promise<void>;
  /** Only its beginning. */
  claims(number: number): Promise<void>;
  readonly tellDeps: TellDeps;
  execution(number: number): Promise<ExecutionRow>;
  texts(): string[];
  /** Ends this life of the bot and begins the next on the same rows. */
  restart(): Promise<void>;
}

export interface IncomingEvent {
  readonly eventId: string;
  readonly roomId: string;
  readonly sender: string;
  readonly type: string;
  readonly content: Record<string, unknown>;
  readonly at: Date;
  readonly redacts: string;
}

export const says = (text: string): Reply => ({
  text,
  calls: [],
  finish: 'done',
  refusal: '',
  usage: NO_USAGE,
});

export const calls = (name: string, args: object, text = ''): Reply => ({
  ...says(text),
  calls: [{ id: 'c', name, args: JSON.stringify(args) }],
});

export const runsOn = (target: string, command: string, text = ''): Reply =>
  calls('run', { target, command, purpose: 'a test' }, text);

/** The conversation half on a real database: no homeserver, no model, no daemon. */
export async function talk(
  model: Model = () => says('Fine.'),
  settings: { readonly graceMs?: number } = {},
): Promise<Talk> {
  const h = await house();
  const sent: Sent[] = [];
  const files: string[] = [];
  const fileThreads: AttachedText['thread'][] = [];
  const requests: LlmRequest[] = [];
  const byTxn = new Map<string, string>();
  const life: { stop?: () => Promise<void>; wake: () => void } = { wake: () => undefined };

  const event: Talk['event'] = async (given) => {
    const eventId = given.eventId ?? `$${randomUUID()}`;
    await inboxStore(h.db, testSeals).commit(
      [
        {
          eventId,
          roomId: given.roomId ?? ROOM,
          sender: given.sender ?? OPERATOR,
          type: given.type ?? 'm.room.message',
          content: given.content ?? {},
          originServerTs: (given.at ?? new Date()).getTime(),
          history: false,
          ...(given.redacts && { redacts: given.redacts }),
        },
      ],
      'token',
    );
    life.wake();
    return eventId;
  };
  const failing = (what: string, roomId: string) => {
    const error = world.trouble?.(what, roomId);
    if (error) throw error;
  };
  const put = async (roomId: string, content: MessageContent, txnId: string, edits?: string) => {
    failing(edits ? 'edit' : 'send', roomId);
    await world.hang?.(roomId, 'send');
    const known = byTxn.get(txnId);
    if (known) return known;
    const eventId = `$${randomUUID()}`;
    byTxn.set(txnId, eventId);
    sent.push({ roomId, eventId, content, ...(edits && { edits }) });
    const relation = edits ? { 'm.relates_to': { rel_type: 'm.replace', event_id: edits } } : {};
    await event({ eventId, roomId, sender: BOT, content: { ...content, ...relation } });
    return eventId;
  };
  const room: RoomPort = {
    fits: fitsInMessage,
    send: (roomId, content, txnId) => put(roomId, content, txnId),
    edit: (roomId, eventId, content, txnId) => put(roomId, content, txnId, eventId),
    async attach(roomId, { text, thread }) {
      failing('attach', roomId);
      files.push(text);
      fileThreads.push(thread);
    },
    async react(roomId) {
      failing('react', roomId);
    },
    async company(roomId) {
      failing('company', roomId);
      await world.hang?.(roomId, 'company');
      return world.company;
    },
    async typing(roomId) {
      failing('typing', roomId);
      await world.hang?.(roomId, 'typing');
    },
    async receipt(roomId) {
      failing('receipt', roomId);
    },
  };
  const llm: Llm = {
    async call(request, signal) {
      requests.push(request);
      return world.model(request, signal);
    },
  };

  const redact = (text: string) => text;
  const nonce = () => 'n0nce';
  const deps = {
    ...h.decideDeps,
    ...settings,
    db: h.db,
    log: createLog({ level: 'silent', name: 'test', secrets: [] }),
    room,
    userId: BOT,
    isViewer: (id: string) => id === VIEWER,
    operators: [OPERATOR],
    agent: 'nomos',
    timeZone: 'UTC',
    redact,
    nonce,
  };
  const begin = (): { mailbox: Mailbox; wake: () => void; stop: () => Promise<void> } => {
    const ends = watchEnds(h.db);
    const mailbox = openMailbox({
      ...deps,
      llm,
      system: 'system',
      toolsFor: (turn) =>
        toolRegistry({
          db: h.db,
          redact,
          nonce,
          taskId: turn.taskId,
          turnId: turn.id,
          propose: (ask) => propose(h.proposeDeps, ask),
          waitForEnd: ends.waitForEnd,
          completeTask: (end) => completeTask(h.db, turn.taskId, 'nomos', end),
        }),
    });
    const relay = startRelay({
      ...deps,
      troubleOf: (error) =>
        TROUBLES.get(error instanceof Error ? error.message : String(error)) ?? 'own',
    });
    const reader = startReader({
      ...deps,
      parse: incomingOf,
      interrupt: (ids) => mailbox.interrupt(ids),
    });
    const listening = listen(
      h.url,
      ['oikos_outbox', 'oikos_turn', 'oikos_execution'],
      (channel, payload) => {
        if (channel === 'oikos_outbox') relay.wake();
        else if (channel === 'oikos_turn') mailbox.wake();
        else ends.notify(payload);
      },
      () => undefined,
    );
    return {
      mailbox,
      wake: reader.wake,
      stop: async () => {
        await listening.close();
        await reader.close();
        await relay.close();
        await mailbox.close();
      },
    };
  };
  let now = begin();
  life.wake = () => now.wake();
  onTestFinished(() => now.stop());

  const world: Talk = {
    ...h,
    sent,
    files,
    fileThreads,
    company: { members: [BOT, OPERATOR], bridge: false },
    requests,
    model,
    trouble: undefined,
    hang: undefined,
    get mailbox() {
      return now.mailbox;
    },
    tellDeps: deps,
    event,
    say: (body, more = {}) =>
      event({ ...more, content: { msgtype: 'm.text', body, ...more.content } }),
    async settled(patienceMs = 10_000) {
      const deadline = performance.now() + patienceMs;
      let calmSince: number | undefined;
      for (;;) {
        const busy = await moving(h);
        const at = performance.now();
        calmSince = busy.length > 0 ? undefined : (calmSince ?? at);
        if (calmSince !== undefined && at - calmSince > 120) return;
        if (at > deadline) throw new Error(`not settled: ${busy.join(', ')}`);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    },
    async runs(number, end = 'succeeded', output = '') {
      await world.claims(number);
      const { id } = await world.execution(number);
      const change = { actor: 'daemon/1', now: await readNow(h.db) };
      if (output !== '') await saveOutput(h.db, id, [{ seq: 1, stream: 'stdout', text: output }]);
      const exitCode = end === 'succeeded' ? 0 : 1;
      await h.db.transaction((tx) => advance(tx, id, end, { ...change, patch: { exitCode } }));
    },
    async claims(number) {
      const { id } = await world.execution(number);
      const now = await readNow(h.db);
      await h.db.transaction((tx) =>
        advance(tx, id, 'claimed', { actor: 'daemon/1', now, patch: { startedAt: now } }),
      );
    },
    async execution(number) {
      const [row] = await h.db.select().from(executions).where(eq(executions.number, number));
      if (!row) throw new Error(`no execution #${number}`);
      return row;
    },
    texts: () => sent.filter(({ edits }) => edits === undefined).map(({ content }) => content.body),
    async restart() {
      await now.stop();
      now = begin();
    },
  };
  return world;
}

async function moving({ db }: House): Promise<string[]> {
  const fresh = await db.select().from(matrixInbox).where(eq(matrixInbox.status, 'new'));
  const live = (await db.select().from(turns).orderBy(asc(turns.seq))).filter(
    ({ status }) => status !== 'ended',
  );
  const untold = (await db.select().from(outbox)).filter(
    ({ toldAt, failedReason }) => toldAt === null && failedReason === null,
  );
  return [
    ...fresh.map(({ eventId }) => `event ${eventId}`),
    ...live.map(({ status, trigger }) => `${trigger} turn ${status}`),
    ...untold.map(({ type }) => `untold ${type}`),
  ];
}

/** The last user-role text that the model was shown. */
export const lastWords = ({
  messages: all,
}: {
  messages: readonly { role: string; content: string }[];
}) => all.findLast(({ role }) => role === 'user')?.content ?? '';

/** Restarts nginx when asked to, and says what it was told otherwise. */
export async function withCard(
  answers: (words: string) => string = () => 'Noted.',
  settings: { readonly graceMs?: number } = {},
): Promise<Talk> {
  const t = await talk((request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return says('It waits for you.');
    const words = lastWords(request);
    return words.includes('restart nginx') && !words.startsWith('[oikos] ')
      ? runsOn('lxc:web', 'systemctl restart nginx')
      : says(answers(words));
  }, settings);
  await t.say('restart nginx');
  await t.settled();
  return t;
}

export async function untilTurn(t: Talk): Promise<void> {
  await until(async () => (await t.db.select().from(turns)).some((one) => one.status === 'queued'));
}

export async function untilHandled(t: Talk): Promise<void> {
  await until(async () =>
    (await t.db.select().from(matrixInbox)).every(({ status }) => status !== 'new'),
  );
}

export async function until(holds: () => Promise<boolean>, patienceMs = 8_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Says something and waits; answers what the bot has said since. */
export async function exchange(t: Talk, words: string, more = {}): Promise<string[]> {
  const before = t.texts().length;
  await t.say(words, more);
  await t.settled();
  return t.texts().slice(before);
}
