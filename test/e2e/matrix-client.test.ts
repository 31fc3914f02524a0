import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type InviteAnswer, OikosMatrixClient } from '../../bot/matrix/client.ts';
import { inThread } from '../../bot/matrix/content.ts';
import { EncryptedRoomError } from '../../bot/matrix/crypto.ts';
import { parseIncoming } from '../../bot/matrix/incoming.ts';
import { checkToken } from '../../bot/matrix/login.ts';
import { createPeople } from '../../bot/matrix/people.ts';
import type { RawRoomEvent } from '../../bot/matrix/raw-event.ts';
import { createRoomPort } from '../../bot/matrix/room.ts';
import { type ConsoleUser, connectUser } from '../../lab/console/user.ts';
import {
  loginUser,
  overrideRateLimit,
  registerUser,
  type SynapseLogin,
} from '../../lab/services/synapse-users.ts';
import { until } from '../../lab/services/until.ts';
import type { ProvidedSynapse } from '../support/services.ts';

function homeserver(): ProvidedSynapse {
  const synapse = inject('synapse');
  if (synapse === null) throw new Error('these tests need the homeserver of the e2e project');
  return synapse;
}

async function register(
  role: string,
  admin = false,
): Promise<{ name: string; login: SynapseLogin }> {
  const { url, secret } = homeserver();
  const name = `${role}-${randomUUID().slice(0, 8)}`;
  await registerUser({ url, secret, name, password: 'secret', admin });
  return { name, login: await loginUser({ url, name, password: 'secret', deviceId: undefined }) };
}

async function operator(): Promise<ConsoleUser> {
  const { name } = await register('op');
  const user = await connectUser({ url: homeserver().url, name, password: 'secret' });
  onTestFinished(user.stop);
  return user;
}

/** What Postgres will be: events by id, and the token, together. Fails as often as it is told to. */
function memoryStore() {
  const events: RawRoomEvent[] = [];
  const state = { token: null as string | null, failures: 0, commits: 0 };
  return {
    state,
    events,
    live: (roomId: string) =>
      events
        .filter((event) => event.roomId === roomId && !event.history)
        .map(parseIncoming)
        .flatMap((incoming) => (incoming.kind === 'text' ? [incoming.body] : [])),
    loadToken: async () => state.token,
    async commit(batch: RawRoomEvent[], token: string) {
      state.commits += 1;
      if (state.failures > 0) {
        state.failures -= 1;
        throw new Error('the database is away');
      }
      const known = new Set(events.map(({ eventId }) => eventId));
      events.push(...batch.filter(({ eventId }) => !known.has(eventId)));
      state.token = token;
    },
  };
}
type MemoryStore = ReturnType<typeof memoryStore>;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function clientOf(
  login: SynapseLogin,
  store: MemoryStore,
  mayInvite: string[] = [],
): OikosMatrixClient {
  const client = new OikosMatrixClient({
    homeserverUrl: homeserver().url,
    accessToken: login.accessToken,
    store,
    log: silent,
    now: () => new Date(),
    onInvite: async (_room, inviter): Promise<InviteAnswer> =>
      mayInvite.includes(inviter) ? 'join' : 'ignore',
  });
  onTestFinished(() => client.stop());
  return client;
}

/** An operator and a running bot in one room. */
async function conversation() {
  const op = await operator();
  const { name, login } = await register('nomos');
  const store = memoryStore();
  const client = clientOf(login, store, [op.userId]);
  await client.start();
  const room = await op.createRoom({ invite: [login.userId] });
  const people = createPeople(client);
  await until(async () => expect((await people.company(room)).members).toHaveLength(2));
  await op.say(room, 'hello');
  await until(async () => expect(store.live(room)).toContain('hello'));
  return { op, name, login, store, client, room, people, port: createRoomPort(client) };
}

describe('what people say', () => {
  it('arrives once and in order after a downtime of 120 messages', async () => {
    const { op, login, store, client, room } = await conversation();
    await client.stop();
    const missed = Array.from({ length: 120 }, (_, index) => `missed ${index}`);
    for (const text of missed) await op.say(room, text);
    const restarted = clientOf(login, store, [op.userId]);
    await restarted.start();
    await until(async () => expect(store.live(room)).toContain('missed 119'));
    await op.say(room, 'and now');
    await until(async () => expect(store.live(room)).toContain('and now'));
    expect(store.live(room)).toEqual(['hello', ...missed, 'and now']);
    expect(store.events.filter(({ gap }) => gap).length).toBeGreaterThan(50);
  });

  it('is neither lost nor doubled when the database fails twice', async () => {
    const { op, store, room, client } = await conversation();
    const { commits } = store.state;
    store.state.failures = 2;
    await op.say(room, 'one');
    await op.say(room, 'two');
    await until(async () => expect(store.live(room)).toContain('two'));
    expect(store.live(room)).toEqual(['hello', 'one', 'two']);
    expect(store.state.commits - commits).toBeGreaterThanOrEqual(3);
    expect(client.lastSyncAt).toBeInstanceOf(Date);
  });

  it('counts as history when it was said before the bot came', async () => {
    const op = await operator();
    const { login } = await register('nomos');
    const room = await op.createRoom();
    await op.say(room, 'yes, do it');
    const store = memoryStore();
    const client = clientOf(login, store, [op.userId]);
    await client.start();
    await until(async () => expect(store.state.token).not.toBeNull());
    await invite(op, room, login.userId);
    await until(async () =>
      expect((await createPeople(client).company(room)).members).toHaveLength(2),
    );
    await op.say(room, 'hello');
    await until(async () => expect(store.live(room)).toContain('hello'));
    expect(store.live(room)).toEqual(['hello']);
    const early = store.events.map(parseIncoming);
    expect(early).toContainEqual(expect.objectContaining({ body: 'yes, do it', history: true }));
  });

  it('counts as history in a first sync', async () => {
    const { op, login, room, client } = await conversation();
    await client.stop();
    const fresh = memoryStore();
    await clientOf(login, fresh, [op.userId]).start();
    await until(async () => expect(fresh.events.length).toBeGreaterThan(0));
    expect(fresh.live(room)).toEqual([]);
    const replayed = fresh.events.map(parseIncoming);
    expect(replayed).toContainEqual(expect.objectContaining({ body: 'hello', history: true }));
  });
});

describe('what the bot says', () => {
  it('is one event, however often the same transaction is sent', async () => {
    const { op, room, port } = await conversation();
    const content = { msgtype: 'm.text' as const, body: 'only once' };
    const first = await port.send(room, content, 'outbox-1.0');
    expect(await port.send(room, content, 'outbox-1.0')).toBe(first);
    await op.waitFor(({ eventId }) => eventId === first);
    expect(op.timeline(room).filter(({ body }) => body === 'only once')).toHaveLength(1);
  });

  it('is all delivered under the rate limits of a real homeserver', async () => {
    const { op, login, room, port } = await conversation();
    const { login: admin } = await register('admin', true);
    await overrideRateLimit({
      url: homeserver().url,
      adminToken: admin.accessToken,
      userId: login.userId,
      limit: { messagesPerSecond: 2, burstCount: 2 },
    });
    const sends = Array.from({ length: 8 }, (_, index) =>
      port.send(room, { msgtype: 'm.notice', body: `line ${index}` }, `limited.${index}`),
    );
    expect(new Set(await Promise.all(sends)).size).toBe(8);
    const lines = () => op.timeline(room).filter(({ body }) => body.startsWith('line '));
    await until(async () => expect(lines()).toHaveLength(8));
  });

  it('can be edited, reacted to, taken back, put into a thread and sent as a file', async () => {
    const { op, room, port } = await conversation();
    const card = await port.send(room, { msgtype: 'm.text', body: 'waiting' }, 'card');
    const thumb = await port.react(room, card, '👍', 'card.thumb');
    expect(thumb).not.toBeNull();
    expect(await port.react(room, card, '👍', 'card.thumb.again')).toBeNull();
    await port.edit(room, card, { msgtype: 'm.text', body: 'done' }, 'card.edit');
    const output = await port.send(
      room,
      inThread({ msgtype: 'm.notice', body: 'output' }, card),
      'card.out',
    );
    await port.redact(room, thumb ?? '', 'card.unthumb', 'decided');
    await port.typing(room, 1_000);
    await port.receipt(room, card);
    const data = Buffer.from('x'.repeat(40_000));
    const file = await port.sendFile(
      room,
      { name: 'out.txt', mimetype: 'text/plain', data, about: 'The output.' },
      'card.file',
    );
    expect(await op.waitFor(({ eventId }) => eventId === output)).toMatchObject({
      threadRoot: card,
    });
    // A notice that is edited into the file: neither rings a phone.
    const shown = await op.waitFor(({ eventId, edits }) => eventId === file && edits === 1);
    expect(shown).toMatchObject({ msgtype: 'm.file', body: 'out.txt' });
    expect(op.timeline(room).find(({ eventId }) => eventId === card)).toMatchObject({
      body: 'done',
      edits: 1,
      reactions: [],
    });
  });

  it('is not sent into a room that has become encrypted', async () => {
    const { op, room, port, client } = await conversation();
    const hello = { msgtype: 'm.text' as const, body: 'hello' };
    await port.send(room, hello, 'before');
    await setState(op, room, 'm.room.encryption', { algorithm: 'm.megolm.v1.aes-sha2' });
    await until(async () => expect(await client.isRoomEncrypted(room)).toBe(true));
    await expect(port.send(room, hello, 'after')).rejects.toBeInstanceOf(EncryptedRoomError);
  });
});

describe('the bot', () => {
  it('joins operators and no strangers', async () => {
    const { op, login, store, client } = await conversation();
    const stranger = await operator();
    const trap = await stranger.createRoom({ invite: [login.userId] });
    const wanted = await op.createRoom({ invite: [login.userId] });
    await until(async () => expect(await client.getJoinedRooms()).toContain(wanted));
    expect(await client.getJoinedRooms()).not.toContain(trap);
    await stranger.say(trap, 'yes');
    expect(store.events.some(({ roomId }) => roomId === trap)).toBe(false);
  });

  it('stops at once although a poll is open', async () => {
    const { client } = await conversation();
    const began = performance.now();
    await client.stop();
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  it('ends its sync and says so when its token dies', async () => {
    const { client } = await conversation();
    await client.doRequest('POST', '/_matrix/client/v3/logout', null, {});
    await until(async () => expect(client.fatal).toMatchObject({ errcode: 'M_UNKNOWN_TOKEN' }));
  });

  it('knows whose token it has', async () => {
    const { login } = await register('nomos');
    const deps = { homeserverUrl: homeserver().url, fetch: globalThis.fetch };
    expect(await checkToken({ accessToken: login.accessToken }, deps)).toEqual({
      ok: true,
      session: login,
    });
    expect(await checkToken({ accessToken: 'wrong' }, deps)).toMatchObject({ why: 'wrong_token' });
  });
});

async function invite(op: ConsoleUser, room: string, userId: string): Promise<void> {
  await asOperator(op, 'POST', `/rooms/${encodeURIComponent(room)}/invite`, { user_id: userId });
}

async function setState(
  op: ConsoleUser,
  room: string,
  type: string,
  content: object,
): Promise<void> {
  await asOperator(op, 'PUT', `/rooms/${encodeURIComponent(room)}/state/${type}`, content);
}

async function asOperator(
  op: ConsoleUser,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const answer = await fetch(`${homeserver().url}/_matrix/client/v3${path}`, {
    method,
    headers: { Authorization: `Bearer ${op.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok, await answer.text()).toBe(true);
}
