import { describe, expect, it, onTestFinished } from 'vitest';
import { type InviteAnswer, OikosMatrixClient, type OikosMatrixOptions } from './client.ts';
import type { RawRoomEvent } from './raw-event.ts';

const us = '@nomos:oikos.test';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const said = (id: string) => ({
  event_id: id,
  sender: '@op:oikos.test',
  type: 'm.room.message',
  content: { body: id },
  origin_server_ts: 1,
});
const timeline = (...events: object[]) => ({ join: { '!r': { timeline: { events } } } });
const limited = (from: string, ...events: object[]) => ({
  join: { '!r': { timeline: { events, limited: true, prev_batch: from } } },
});
const invitedBy = (sender: string) => {
  const event = { type: 'm.room.member', state_key: us, sender, content: { membership: 'invite' } };
  return { invite: { '!new': { invite_state: { events: [event] } } } };
};

type Answer = { status?: number; body: unknown };

/**
 * A homeserver whose syncs give these rooms, token by token, and then hold the poll open. Other
 * paths are answered by `others`, by the end of the path.
 */
function homeserver(syncs: Record<string, object>, others: Record<string, Answer> = {}) {
  const asked: string[] = [];
  const send: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    asked.push(`${init?.method} ${url.pathname.replace('/_matrix/client/v3', '')}`);
    if (url.pathname.endsWith('/whoami')) return Response.json({ user_id: us });
    if (!url.pathname.endsWith('/sync')) return answerOf(others, url.pathname);
    const since = url.searchParams.get('since') ?? 'start';
    const rooms = syncs[since];
    if (rooms === undefined) return held(init?.signal);
    return Response.json({ next_batch: `${since}+`, rooms });
  };
  return { asked, fetch: send };
}

function answerOf(others: Record<string, Answer>, path: string): Response {
  const found = Object.entries(others).find(([end]) => path.endsWith(end))?.[1];
  const { status = 200, body } = found ?? { status: 404, body: { errcode: 'M_NOT_FOUND' } };
  return Response.json(body, { status });
}

function held(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

/** Runs a client until the store holds `until`; gives what the store was told. */
async function followUntil(
  until: string,
  server: { fetch: typeof fetch },
  change: { since?: string | null; failures?: number } & Partial<OikosMatrixOptions> = {},
) {
  const { since = 's', failures = 0, ...options } = change;
  const commits: { ids: string[]; token: string }[] = [];
  const stored: RawRoomEvent[] = [];
  const reached = Promise.withResolvers<void>();
  let failing = failures;
  const client = new OikosMatrixClient({
    homeserverUrl: 'http://hs.test',
    accessToken: 'token',
    fetch: server.fetch,
    log: silent,
    now: () => new Date(0),
    onInvite: async () => 'ignore',
    onFatal: () => reached.resolve(),
    ...options,
    store: {
      loadToken: async () => since,
      async commit(events, token) {
        commits.push({ ids: events.map(({ eventId }) => eventId), token });
        if (failing-- > 0) throw new Error('the database is away');
        stored.push(...events);
        if (token === until) reached.resolve();
      },
    },
  });
  onTestFinished(() => client.stop());
  await client.start();
  await reached.promise;
  return { client, commits, stored };
}

describe('the sync loop', () => {
  it('offers the same events to the store until it has taken them, then moves on', async () => {
    const server = homeserver({ s: timeline(said('$1'), said('$2')), 's+': timeline(said('$3')) });
    const { commits } = await followUntil('s++', server, { failures: 2 });
    const first = { ids: ['$1', '$2'], token: 's+' };
    expect(commits).toEqual([first, first, first, { ids: ['$3'], token: 's++' }]);
  });

  it('reads a gap back before it stores what came after it', async () => {
    const pages = { '/messages': { body: { chunk: [said('$2'), said('$1')] } } };
    const { stored } = await followUntil('s+', homeserver({ s: limited('p', said('$3')) }, pages));
    expect(stored.map(({ eventId, gap }) => [eventId, gap])).toEqual([
      ['$1', true],
      ['$2', true],
      ['$3', false],
    ]);
  });

  it('goes on when a gap is in a room that nobody lets us read any more', async () => {
    const pages = { '/messages': { status: 403, body: { errcode: 'M_FORBIDDEN' } } };
    const { stored } = await followUntil('s+', homeserver({ s: limited('p', said('$3')) }, pages));
    expect(stored.map(({ eventId }) => eventId)).toEqual(['$3']);
  });

  it('marks a first sync as history and reads no gap in it', async () => {
    const server = homeserver({ start: limited('p', said('$1')) });
    const { stored } = await followUntil('start+', server, { since: null });
    expect(stored).toMatchObject([{ eventId: '$1', history: true }]);
    expect(server.asked.some((path) => path.includes('/messages'))).toBe(false);
  });

  it('ends when the homeserver does not know the token, and tells so', async () => {
    const server = homeserver({});
    const send: typeof fetch = async (url, init) =>
      String(url).includes('/sync')
        ? Response.json({ errcode: 'M_UNKNOWN_TOKEN' }, { status: 401 })
        : server.fetch(url, init);
    const { client } = await followUntil('never', { fetch: send });
    expect(client.fatal).toEqual({ errcode: 'M_UNKNOWN_TOKEN', at: new Date(0) });
  });

  it('does not repeat a batch because whoever is rung throws', async () => {
    const server = homeserver({ s: timeline(said('$1')), 's+': timeline(said('$2')) });
    const onCommitted = () => {
      throw new Error('nobody home');
    };
    const { commits } = await followUntil('s++', server, { onCommitted });
    expect(commits.map(({ ids }) => ids)).toEqual([['$1'], ['$2']]);
  });

  it('is silent and quick to stop while a poll is open', async () => {
    const { client } = await followUntil('s+', homeserver({ s: timeline(said('$1')) }));
    const began = performance.now();
    await client.stop();
    expect(performance.now() - began).toBeLessThan(500);
    expect(client.lastSyncAt).toEqual(new Date(0));
  });
});

describe('an invitation', () => {
  const onInvite = async (_room: string, inviter: string): Promise<InviteAnswer> =>
    inviter === '@op:oikos.test' ? 'join' : 'ignore';
  const joins = {
    '/join/!new': { body: { room_id: '!new' } },
    '/join/%21new': { body: { room_id: '!new' } },
  };

  it.each([
    ['of an operator is accepted', '@op:oikos.test', true],
    ['of a stranger is not', '@eve:oikos.test', false],
  ])('%s', async (_claim, inviter, accepted) => {
    const server = homeserver({ s: invitedBy(inviter) }, joins);
    await followUntil('s+', server, { onInvite });
    expect(server.asked.some((path) => path.startsWith('POST /join/'))).toBe(accepted);
  });

  it('that is gone does not hold up the messages', async () => {
    const server = homeserver({ s: { ...invitedBy('@op:oikos.test'), ...timeline(said('$1')) } });
    const { stored } = await followUntil('s+', server, { onInvite });
    expect(stored.map(({ eventId }) => eventId)).toEqual(['$1']);
  });
});
