import { createClient, EventType, type MatrixEvent, MsgType, RelationType } from 'matrix-js-sdk';
import { type Logger, logger } from 'matrix-js-sdk/lib/logger.js';
import type { ConsoleUser } from '../../lab/console/user.ts';
import { until } from '../../lab/services/until.ts';

/** What fails shows as a rejected promise; the client's own tale would hide the test's. */
const quiet: Logger = {
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  getChild: () => quiet,
};

/** What a person does in a room with a client that is built on matrix-js-sdk, as Element is. */
export interface SdkPerson
  extends Pick<
    ConsoleUser,
    'userId' | 'say' | 'sayInThread' | 'reply' | 'edit' | 'react' | 'redact' | 'stop'
  > {
  /** A reply that repeats what it answers, as clients wrote it for years and some still do. */
  quote: (room: string, eventId: string, text: string) => Promise<string>;
  /** An event as the client shows it now: its own sync, edits applied. */
  shown: (room: string, eventId: string) => MatrixEvent;
  /** The keys under a message, with who gave them. */
  reactionsTo: (room: string, eventId: string) => { key: string; sender: string | undefined }[];
  /** What the client shows in the main timeline, or in the thread under an event. */
  events: (room: string, root?: string) => MatrixEvent[];
  download: (event: MatrixEvent) => Promise<string>;
}

/** Follows with matrix-js-sdk, over an account that is logged in already. Unencrypted rooms only. */
export async function sdkPerson(account: {
  url: string;
  userId: string;
  token: string;
}): Promise<SdkPerson> {
  const { url, userId, token } = account;
  // Parts of it write to the one logger of the module all the same; its type hides how to silence it.
  (logger as unknown as { setLevel(level: 'silent', persist: boolean): void }).setLevel(
    'silent',
    false,
  );
  const client = createClient({ baseUrl: url, userId, accessToken: token, logger: quiet });
  await client.startClient({ initialSyncLimit: 50, threadSupport: true });
  await until(async () => {
    if (!client.isInitialSyncComplete()) throw new Error('matrix-js-sdk has not synced');
  });
  const shown = (room: string, eventId: string): MatrixEvent => {
    const event = client.getRoom(room)?.findEventById(eventId);
    if (!event) throw new Error(`matrix-js-sdk has not seen ${eventId}`);
    return event;
  };
  const sent = async (sending: Promise<{ event_id: string }>) => (await sending).event_id;
  const message = (text: string) => ({ msgtype: MsgType.Text, body: text }) as const;
  return {
    userId,
    shown,
    say: (room, text) => sent(client.sendMessage(room, message(text))),
    // The relation to the root, and to the last event in it for clients without threads, is the SDK's.
    sayInThread: (room, root, text) => sent(client.sendMessage(room, root, message(text))),
    reply: (room, eventId, text) =>
      sent(
        client.sendMessage(room, {
          ...message(text),
          'm.relates_to': { 'm.in_reply_to': { event_id: eventId } },
        }),
      ),
    quote(room, eventId, text) {
      const event = shown(room, eventId);
      const { body = '' } = event.getContent<{ body?: string }>();
      const [first = '', ...rest] = body.split('\n');
      const lines = [`> <${event.getSender()}> ${first}`, ...rest.map((line) => `> ${line}`)];
      const link = `https://matrix.to/#/${room}/${eventId}`;
      return sent(
        client.sendMessage(room, {
          ...message(`${lines.join('\n')}\n\n${text}`),
          format: 'org.matrix.custom.html',
          formatted_body: `<mx-reply><blockquote><a href="${link}">In reply to</a> <a href="https://matrix.to/#/${event.getSender()}">${event.getSender()}</a><br>${body}</blockquote></mx-reply>${text}`,
          'm.relates_to': { 'm.in_reply_to': { event_id: eventId } },
        }),
      );
    },
    edit: (room, eventId, text) =>
      sent(
        client.sendMessage(room, {
          ...message(`* ${text}`),
          'm.new_content': message(text),
          'm.relates_to': { rel_type: RelationType.Replace, event_id: eventId },
        }),
      ),
    react: (room, eventId, key) =>
      sent(
        client.sendEvent(room, EventType.Reaction, {
          'm.relates_to': { rel_type: RelationType.Annotation, event_id: eventId, key },
        }),
      ),
    redact: (room, eventId) => sent(client.redactEvent(room, eventId)),
    reactionsTo(room, eventId) {
      const relations = client
        .getRoom(room)
        ?.relations.getChildEventsForEvent(eventId, RelationType.Annotation, EventType.Reaction);
      return (relations?.getRelations() ?? []).map((event) => ({
        key: event.getRelation()?.key ?? '',
        sender: event.getSender(),
      }));
    },
    events(room, root) {
      const known = client.getRoom(room);
      if (root) return known?.getThread(root)?.events ?? [];
      const all = known?.getLiveTimeline().getEvents() ?? [];
      return all.filter((event) => event.threadRootId === undefined);
    },
    async download(event) {
      const { url: mxc = '' } = event.getContent<{ url?: string }>();
      const from = client.mxcUrlToHttp(mxc, undefined, undefined, undefined, false, true, true);
      const answer = await fetch(from ?? '', { headers: { authorization: `Bearer ${token}` } });
      if (!answer.ok) throw new Error(`no file at ${from}: ${answer.status}`);
      return answer.text();
    },
    async stop() {
      client.stopClient();
    },
  };
}
