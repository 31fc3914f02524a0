import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createMatrixApi, type MatrixApi } from './matrix-api.ts';
import { createTimeline, type Timeline, type TimelineItem } from './timeline.ts';

export type { TimelineItem } from './timeline.ts';

/** A person with a Matrix client, driven by a script. */
export interface ConsoleUser {
  userId: string;
  token: string;
  /** Rooms joined, as of the last sync. */
  rooms: () => string[];
  /** Rooms we are asked into. */
  invites: () => string[];
  createRoom: (options?: { name?: string; invite?: string[] }) => Promise<string>;
  join: (room: string) => Promise<void>;
  /** Each of these gives the id of the event that it sent. */
  say: (room: string, text: string) => Promise<string>;
  sayInThread: (room: string, root: string, text: string) => Promise<string>;
  reply: (room: string, eventId: string, text: string) => Promise<string>;
  edit: (room: string, eventId: string, text: string) => Promise<string>;
  react: (room: string, eventId: string, key: string) => Promise<string>;
  redact: (room: string, eventId: string) => Promise<string>;
  /** What a person sees of a room since this user connected, and some of what was there before. */
  timeline: (room: string) => readonly TimelineItem[];
  /** Calls back after every sync that brought something; gives the way to end that. */
  onChange: (listener: () => void) => () => void;
  /** The first message, old or new, that satisfies the predicate. @throws PatienceError */
  waitFor: (
    predicate: (item: TimelineItem) => boolean,
    patienceMs?: number,
  ) => Promise<TimelineItem>;
  stop: () => Promise<void>;
}

export class PatienceError extends Error {
  override readonly name = 'PatienceError';
  constructor(ms: number, last: readonly TimelineItem[]) {
    const seen = last.map(({ sender, body }) => `  ${sender}: ${body.slice(0, 200)}`).join('\n');
    super(`nothing fitting was seen within ${ms} ms; the last messages:\n${seen}`);
  }
}

const Login = z.object({ user_id: z.string(), access_token: z.string() });
const RoomId = z.object({ room_id: z.string() });
const EventId = z.object({ event_id: z.string() });
const Joined = z.object({
  timeline: z.object({ events: z.array(z.unknown()).default([]) }).default({ events: [] }),
});
const Sync = z.object({
  next_batch: z.string(),
  rooms: z
    .object({
      join: z.record(z.string(), Joined).default({}),
      invite: z.record(z.string(), z.unknown()).default({}),
      leave: z.record(z.string(), z.unknown()).default({}),
    })
    .default({ join: {}, invite: {}, leave: {} }),
});
type Sync = z.infer<typeof Sync>;

/** Logs in and begins to follow what happens. Unencrypted rooms only. */
export async function connectUser(options: {
  url: string;
  name: string;
  password: string;
}): Promise<ConsoleUser> {
  const { url, name, password } = options;
  const login = await createMatrixApi({ url })('POST', '/login', {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: name },
    password,
    device_id: `CONSOLE-${name}`,
    initial_device_display_name: 'Oikos console',
  });
  const { user_id: userId, access_token: token } = Login.parse(login);
  const stopping = new AbortController();
  const api = createMatrixApi({ url, token });
  const view = createView();
  const polling = createMatrixApi({ url, token, signal: stopping.signal });
  const loop = follow(polling, view, stopping.signal);
  await view.firstSync;
  return {
    userId,
    token,
    rooms: () => [...view.timelines.keys()],
    invites: () => [...view.invites],
    timeline: (room) => view.timelines.get(room)?.items() ?? [],
    onChange: (listener) => {
      view.changes.addEventListener('change', listener);
      return () => view.changes.removeEventListener('change', listener);
    },
    waitFor: (predicate, patienceMs = 15_000) => waitFor(view, predicate, patienceMs),
    ...actions(api),
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

interface View {
  timelines: Map<string, Timeline>;
  invites: Set<string>;
  changes: EventTarget;
  firstSync: Promise<void>;
  take: (sync: Sync) => void;
}

function createView(): View {
  const first = Promise.withResolvers<void>();
  const view: View = {
    timelines: new Map(),
    invites: new Set(),
    changes: new EventTarget(),
    firstSync: first.promise,
    take({ rooms }) {
      for (const [roomId, room] of Object.entries(rooms.join)) {
        const timeline = view.timelines.get(roomId) ?? createTimeline(roomId);
        view.timelines.set(roomId, timeline);
        view.invites.delete(roomId);
        for (const event of room.timeline.events) timeline.apply(event);
      }
      for (const roomId of Object.keys(rooms.invite)) view.invites.add(roomId);
      for (const roomId of Object.keys(rooms.leave)) view.invites.delete(roomId);
      first.resolve();
      view.changes.dispatchEvent(new Event('change'));
    },
  };
  return view;
}

async function follow(api: MatrixApi, view: View, signal: AbortSignal): Promise<void> {
  let since = '';
  while (!signal.aborted) {
    try {
      const filter = encodeURIComponent(JSON.stringify({ room: { timeline: { limit: 200 } } }));
      const from = since === '' ? '' : `&since=${encodeURIComponent(since)}`;
      const sync = Sync.parse(await api('GET', `/sync?timeout=20000&filter=${filter}${from}`));
      view.take(sync);
      since = sync.next_batch;
    } catch {
      // A restarting homeserver is part of some scripts; a real problem shows as waitFor's impatience.
      await sleep(250, undefined, { signal }).catch(() => undefined);
    }
  }
}

function waitFor(
  view: View,
  predicate: (item: TimelineItem) => boolean,
  patienceMs: number,
): Promise<TimelineItem> {
  const all = () => [...view.timelines.values()].flatMap((timeline) => timeline.items());
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      view.changes.removeEventListener('change', look);
    };
    const look = () => {
      const found = all().find(predicate);
      if (found === undefined) return;
      end();
      resolve(found);
    };
    const timer = setTimeout(() => {
      end();
      reject(new PatienceError(patienceMs, all().slice(-8)));
    }, patienceMs);
    view.changes.addEventListener('change', look);
    look();
  });
}

function actions(api: MatrixApi) {
  const send = async (room: string, type: string, content: object): Promise<string> => {
    const path = `/rooms/${encodeURIComponent(room)}/send/${type}/${randomUUID()}`;
    return EventId.parse(await api('PUT', path, content)).event_id;
  };
  const message = (room: string, text: string, extra: object = {}) =>
    send(room, 'm.room.message', { msgtype: 'm.text', body: text, ...extra });
  return {
    async createRoom({ name, invite = [] }: { name?: string; invite?: string[] } = {}) {
      const naming = name === undefined ? {} : { name };
      const wish = { preset: 'private_chat', invite, ...naming };
      return RoomId.parse(await api('POST', '/createRoom', wish)).room_id;
    },
    async join(room: string) {
      await api('POST', `/join/${encodeURIComponent(room)}`, {});
    },
    say: (room: string, text: string) => message(room, text),
    sayInThread: (room: string, root: string, text: string) =>
      message(room, text, {
        'm.relates_to': {
          rel_type: 'm.thread',
          event_id: root,
          is_falling_back: true,
          'm.in_reply_to': { event_id: root },
        },
      }),
    reply: (room: string, eventId: string, text: string) =>
      message(room, text, { 'm.relates_to': { 'm.in_reply_to': { event_id: eventId } } }),
    edit: (room: string, eventId: string, text: string) =>
      message(room, `* ${text}`, {
        'm.new_content': { msgtype: 'm.text', body: text },
        'm.relates_to': { rel_type: 'm.replace', event_id: eventId },
      }),
    react: (room: string, eventId: string, key: string) =>
      send(room, 'm.reaction', {
        'm.relates_to': { rel_type: 'm.annotation', event_id: eventId, key },
      }),
    async redact(room: string, eventId: string) {
      const path = `/rooms/${encodeURIComponent(room)}/redact/${encodeURIComponent(eventId)}/${randomUUID()}`;
      return EventId.parse(await api('PUT', path, {})).event_id;
    },
  };
}
