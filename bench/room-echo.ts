import { z } from 'zod';
import { createMatrixApi } from '../lab/console/matrix-api.ts';

const event = z.object({
  type: z.string(),
  event_id: z.string().optional(),
  sender: z.string().optional(),
  content: z.record(z.string(), z.unknown()),
});
const sync = z.object({
  next_batch: z.string(),
  rooms: z
    .object({
      join: z
        .record(
          z.string(),
          z.object({
            timeline: z.object({ events: z.array(event).default([]) }).default({ events: [] }),
            ephemeral: z.object({ events: z.array(event).default([]) }).default({ events: [] }),
          }),
        )
        .default({}),
    })
    .default({ join: {} }),
});
type Rooms = z.infer<typeof sync>['rooms']['join'];

/** Follows an account's sync as barely as that can be done. */
function follow(at: { url: string; token: string }, onRooms: (rooms: Rooms) => void) {
  const stopping = new AbortController();
  const api = createMatrixApi({ ...at, signal: stopping.signal });
  const loop = (async () => {
    let since = '';
    while (!stopping.signal.aborted) {
      const path = `/sync?timeout=${since === '' ? 0 : 10_000}${since === '' ? '' : `&since=${since}`}`;
      const read = await api('GET', path).then(
        (answer) => sync.parse(answer),
        () => undefined,
      );
      if (!read) continue;
      if (since !== '') onRooms(read.rooms.join);
      since = read.next_batch;
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

/** The least that a bot can do: a receipt and an echo for each message of somebody else. */
export function startEcho(at: { url: string; token: string; userId: string }) {
  const api = createMatrixApi(at);
  return follow(at, (rooms) => {
    for (const [roomId, { timeline }] of Object.entries(rooms)) {
      const room = `/rooms/${encodeURIComponent(roomId)}`;
      for (const { type, sender, event_id: id, content } of timeline.events) {
        if (type !== 'm.room.message' || sender === at.userId || id === undefined) continue;
        void api('POST', `${room}/receipt/m.read/${encodeURIComponent(id)}`, {});
        const echo = { msgtype: 'm.text', body: `echo ${String(content['body'])}` };
        void api('PUT', `${room}/send/m.room.message/echo-${encodeURIComponent(id)}`, echo);
      }
    }
  });
}

/** When each event was first marked as read by `reader`, as another person's client sees it. */
export function watchReceipts(at: { url: string; token: string }, reader: () => string) {
  const seen = new Map<string, number>();
  const stop = follow(at, (rooms) => {
    const marks = Object.values(rooms)
      .flatMap(({ ephemeral }) => ephemeral.events)
      .filter(({ type }) => type === 'm.receipt')
      .flatMap(({ content }) => Object.entries(content));
    for (const [id, by] of marks) {
      if (JSON.stringify(by).includes(reader()) && !seen.has(id)) seen.set(id, performance.now());
    }
  });
  return { seen, stop };
}
