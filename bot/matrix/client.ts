import { MatrixClient, MemoryStorageProvider } from 'matrix-bot-sdk';
import { untilDone } from './backoff.ts';
import { plainRooms, type RoomCrypto } from './crypto.ts';
import { type EncryptedRooms, watchEncryption } from './encrypted-rooms.ts';
import { deadTokenCode, failureFields, isFinalRefusal } from './errors.ts';
import { type Gap, readGap } from './gap.ts';
import { cancelledBy, installHttp } from './http.ts';
import { type MatrixLog, routeSdkLog } from './logging.ts';
import { type RawRoomEvent, readRoomEvent } from './raw-event.ts';
import {
  type Invite,
  isOwnJoin,
  orderRoomEvents,
  type RoomSlice,
  readSync,
  type SyncBatch,
} from './sync-response.ts';
import type { SyncStore } from './sync-store.ts';

export const INVITE_ANSWERS = ['join', 'decline', 'ignore'] as const;
export type InviteAnswer = (typeof INVITE_ANSWERS)[number];

export interface OikosMatrixOptions {
  homeserverUrl: string;
  accessToken: string;
  store: SyncStore;
  log: MatrixLog;
  now: () => Date;
  /** Decides about each invitation; only operators' should be joined. */
  onInvite: (roomId: string, inviter: string) => Promise<InviteAnswer>;
  /** Rung after each commit that stored events; what it throws is only logged. */
  onCommitted?: (events: readonly RawRoomEvent[]) => void;
  /** Told once when the access token is dead. */
  onFatal?: (fatal: SyncFatal) => void;
  crypto?: (client: OikosMatrixClient) => RoomCrypto;
  fetch?: typeof fetch;
  /** How long the homeserver may hold a poll open. */
  pollMs?: number;
  /** The most events of one room that are read back after a downtime. */
  maxGapEvents?: number;
}

export interface SyncFatal {
  errcode: string;
  at: Date;
}

/** The same for ever: a changed filter changes what a sync brings, not where it continues. */
const FILTER = JSON.stringify({
  presence: { not_types: ['*'] },
  account_data: { not_types: ['*'] },
  room: {
    ephemeral: { not_types: ['*'] },
    account_data: { not_types: ['*'] },
    state: { lazy_load_members: true },
    timeline: { limit: 50 },
  },
});

const JOIN_ATTEMPTS = 4;

/**
 * The SDK's client with a sync loop that loses nothing: an answer is kept and offered to the store
 * until it has committed, gaps are read back, and only then does the loop move on. The stock loop
 * saves its token first, does not wait for handlers, and ignores gaps.
 */
export class OikosMatrixClient extends MatrixClient {
  readonly roomCrypto: RoomCrypto;
  readonly #options: OikosMatrixOptions;
  readonly #encryptedRooms: EncryptedRooms;
  #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #lastSyncAt: Date | null = null;
  #fatal: SyncFatal | null = null;

  /** Replaces the SDK's process-wide request function and logger. */
  constructor(options: OikosMatrixOptions) {
    const { log } = options;
    routeSdkLog(log);
    installHttp({
      fetch: options.fetch ?? globalThis.fetch,
      clock: () => performance.now(),
      random: Math.random,
      onRetry: (retry) => log.warn(retry, 'Matrix request waits'),
    });
    super(options.homeserverUrl, options.accessToken, new MemoryStorageProvider());
    this.#options = options;
    this.#encryptedRooms = watchEncryption((roomId) =>
      this.getRoomStateEvent(roomId, 'm.room.encryption', ''),
    );
    this.roomCrypto =
      options.crypto?.(this) ?? plainRooms((roomId) => this.#encryptedRooms.isEncrypted(roomId));
  }

  /** When the last sync was committed; null before the first. For health: silence means trouble. */
  get lastSyncAt(): Date | null {
    return this.#lastSyncAt;
  }

  /** Set when the homeserver does not know our token any more; the loop has ended. */
  get fatal(): SyncFatal | null {
    return this.#fatal;
  }

  /**
   * Begins to sync where the store left off. The SDK's filter argument is not used.
   * @throws what the homeserver or the store answers when one of them cannot be reached at all.
   */
  override async start(): Promise<void> {
    await this.stop();
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#fatal = null;
    const userId = await cancelledBy(stopping.signal, () => this.getUserId());
    const since = await this.#options.store.loadToken();
    if (stopping.signal.aborted) return;
    this.#loop = this.#follow(since, userId, stopping.signal);
  }

  /** Cuts the open poll and resolves when nothing of the loop runs any more. */
  override async stop(): Promise<void> {
    super.stop();
    this.#stopping.abort(new Error('the Matrix client is stopping'));
    await this.#loop;
  }

  isRoomEncrypted(roomId: string): Promise<boolean> {
    return this.#encryptedRooms.isEncrypted(roomId);
  }

  async #follow(from: string | null, userId: string, signal: AbortSignal): Promise<void> {
    let since = from;
    try {
      // The first poll answers at once: whether we can hear at all should be known at once.
      for (let pollMs = 0; ; pollMs = this.#options.pollMs ?? 30_000) {
        since = await this.#syncOnce(since, userId, { signal, pollMs });
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#endForGood(error);
    }
  }

  async #syncOnce(
    since: string | null,
    userId: string,
    { signal, pollMs }: { signal: AbortSignal; pollMs: number },
  ): Promise<string> {
    const { store, now } = this.#options;
    const batch = await this.#insist('poll', signal, async () =>
      readSync(await this.#poll(since, pollMs), userId),
    );
    const events = await this.#insist('read', signal, () => this.#collect(batch, since, userId));
    for (const invite of batch.invites) await this.#answer(invite, signal);
    await this.#insist('commit', signal, () => store.commit(events, batch.nextToken));
    this.#lastSyncAt = now();
    if (events.length > 0) this.#ring(events);
    return batch.nextToken;
  }

  /** Repeats one step of a sync for as long as it takes; only stopping or a dead token ends it. */
  #insist<T>(step: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return untilDone(() => cancelledBy(signal, work), {
      signal,
      isHopeless: (error) => deadTokenCode(error) !== null,
      onFailure: ({ error, attempt, waitMs }) =>
        this.#options.log.warn(
          { step, attempt, waitMs, ...failureFields(error) },
          'sync repeats a step',
        ),
    });
  }

  #poll(since: string | null, pollMs: number): Promise<unknown> {
    const query = { filter: FILTER, timeout: pollMs, ...(since === null ? {} : { since }) };
    // A first sync can be long work for a homeserver.
    const patienceMs = since === null ? 600_000 : pollMs + 15_000;
    return this.doRequest('GET', '/_matrix/client/v3/sync', query, null, patienceMs);
  }

  async #collect(batch: SyncBatch, since: string | null, userId: string): Promise<RawRoomEvent[]> {
    const collected: RawRoomEvent[] = [];
    for (const slice of batch.rooms) {
      this.#noteState(slice);
      const gap = since === null ? [] : await this.#gapOf(slice, since, userId);
      const ask = { gap, firstSync: since === null, ourUserId: userId };
      for (const event of orderRoomEvents(slice, ask)) {
        this.#encryptedRooms.note(event);
        const isSealed = event.type === 'm.room.encrypted';
        collected.push(isSealed ? await this.roomCrypto.decrypt(event) : event);
      }
    }
    return collected;
  }

  #noteState({ roomId, state }: RoomSlice): void {
    for (const wire of state) {
      const event = readRoomEvent(roomId, wire, { history: true, gap: false });
      if (event !== null) this.#encryptedRooms.note(event);
    }
  }

  async #gapOf(slice: RoomSlice, since: string, userId: string): Promise<unknown[]> {
    const { roomId, gapFrom } = slice;
    // What lies before our own join was not said to us.
    if (gapFrom === null || slice.timeline.some((wire) => isOwnJoin(wire, userId))) return [];
    const { log, maxGapEvents = 10_000 } = this.#options;
    let gap: Gap;
    try {
      gap = await readGap(gapFrom, since, {
        page: (ask) => this.#messages(roomId, ask),
        isBeginning: (wire) => isOwnJoin(wire, userId),
        maxEvents: maxGapEvents,
      });
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
      // Removed from the room meanwhile: nobody can read it back, and the other rooms must go on.
      log.error({ roomId, ...failureFields(error) }, 'missed messages cannot be read back');
      return [];
    }
    if (gap.cut) log.error({ roomId, maxGapEvents }, 'the oldest missed messages were left out');
    log.info({ roomId, events: gap.events.length }, 'missed messages read back');
    return gap.events;
  }

  #messages(roomId: string, ask: { from: string; to: string; limit: number }): Promise<unknown> {
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/messages`;
    return this.doRequest('GET', path, { dir: 'b', ...ask });
  }

  /** A sync brings an invitation once, so joining is tried a few times before it is given up. */
  async #answer({ roomId, inviter }: Invite, signal: AbortSignal): Promise<void> {
    const { log, onInvite } = this.#options;
    const answer = await this.#insist('invite', signal, () => onInvite(roomId, inviter));
    log.info({ roomId, inviter, answer }, 'invited');
    if (answer === 'ignore') return;
    const act = () => (answer === 'join' ? this.joinRoom(roomId) : this.leaveRoom(roomId));
    let attempts = 0;
    const isHopeless = (error: unknown) => {
      attempts += 1;
      return attempts >= JOIN_ATTEMPTS || isFinalRefusal(error) || deadTokenCode(error) !== null;
    };
    try {
      await untilDone(() => cancelledBy(signal, act), {
        signal,
        isHopeless,
        onFailure: () => undefined,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (deadTokenCode(error) !== null) throw error;
      log.error({ roomId, inviter, answer, ...failureFields(error) }, 'invitation failed');
    }
  }

  #ring(events: readonly RawRoomEvent[]): void {
    try {
      this.#options.onCommitted?.(events);
    } catch (error) {
      this.#options.log.error(failureFields(error), 'listener of committed events failed');
    }
  }

  #endForGood(error: unknown): void {
    const errcode = deadTokenCode(error) ?? 'unexpected';
    this.#fatal = { errcode, at: this.#options.now() };
    this.#options.log.error({ ...failureFields(error), errcode }, 'Matrix sync has ended for good');
    this.#options.onFatal?.(this.#fatal);
  }
}
