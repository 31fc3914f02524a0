import { z } from 'zod';
import { storableText } from '../../shared/storable.ts';

/** A room event as it goes into the inbox: only what Postgres can store, nothing interpreted. */
export interface RawRoomEvent {
  roomId: string;
  eventId: string;
  sender: string;
  type: string;
  stateKey?: string;
  content: Record<string, unknown>;
  /** Milliseconds since 1970, as its server says: never trusted for order. */
  originServerTs: number;
  redacts?: string;
  /** From before we listened (first sync, or before we joined): kept, never acted upon. */
  history: boolean;
  /** Read back because the sync left it out. */
  gap: boolean;
}

/** The end of year 9999: later dates have no ISO form that everybody reads. */
const LATEST_TS = 253_402_300_799_999;
/** Deeper content comes from nobody's client, and recursion has to end somewhere. */
const DEEPEST = 64;

const Wire = z.object({
  event_id: z.string().min(1),
  sender: z.string().min(1),
  type: z.string(),
  state_key: z.string().optional().catch(undefined),
  content: z.record(z.string(), z.unknown()).catch({}),
  origin_server_ts: z.number().int().min(0).max(LATEST_TS).catch(0),
  redacts: z.string().optional().catch(undefined),
});

/**
 * Reads one event of a sync or of /messages; null if it cannot even be named (no id, no sender).
 * NUL characters and lone surrogates become U+FFFD: Postgres refuses them, and one such message
 * would otherwise stop the sync for ever.
 */
export function readRoomEvent(
  roomId: string,
  raw: unknown,
  origin: { history: boolean; gap: boolean },
): RawRoomEvent | null {
  const wire = Wire.safeParse(raw);
  if (!wire.success) return null;
  const { event_id, sender, type, state_key, content, origin_server_ts, redacts } = wire.data;
  return {
    roomId: storableText(roomId),
    eventId: storableText(event_id),
    sender: storableText(sender),
    type: storableText(type),
    ...(state_key === undefined ? {} : { stateKey: storableText(state_key) }),
    content: storableObject(content, 0),
    originServerTs: origin_server_ts,
    ...(redacts === undefined ? {} : { redacts: storableText(redacts) }),
    ...origin,
  };
}

function storableObject(object: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(object).map(([key, value]) => [
    storableText(key),
    storable(value, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

function storable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((one) => storable(one, depth + 1));
  return storableObject(value, depth);
}
