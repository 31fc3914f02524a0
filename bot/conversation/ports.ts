/**
 * What the conversation needs from the outside. Matrix, the model and the queue are handed in at
 * composition; nothing here knows how they work.
 */
export interface MessageContent {
  readonly msgtype: 'm.text' | 'm.notice';
  readonly body: string;
  readonly format?: 'org.matrix.custom.html';
  readonly formatted_body?: string;
  readonly 'm.mentions'?: { readonly user_ids?: readonly string[] };
  readonly 'm.relates_to'?: Record<string, unknown>;
  readonly [extra: `io.oikos.${string}`]: unknown;
}

/** The room as the conversation writes to it. Every send is idempotent by its transaction id. */
export interface RoomPort {
  send(roomId: string, content: MessageContent, txnId: string): Promise<string>;
  /** Whether content is sent whole; what does not fit is cut. */
  fits(content: MessageContent): boolean;
  edit(roomId: string, eventId: string, content: MessageContent, txnId: string): Promise<string>;
  /** Attaches a text file; rings no phone. */
  attach(roomId: string, file: AttachedText, txnId: string): Promise<unknown>;
  react(roomId: string, eventId: string, key: string, txnId: string): Promise<unknown>;
  /** Who is in a room, ourselves included, and whether a bridge is set up in it. */
  company(roomId: string): Promise<{ members: readonly string[]; bridge: boolean }>;
  typing(roomId: string, on: boolean): Promise<void>;
  receipt(roomId: string, eventId: string): Promise<void>;
}

export interface AttachedText {
  readonly name: string;
  readonly text: string;
  /** What it is, for clients that show no file. */
  readonly about: string;
  readonly thread: { readonly root: string; readonly replyTo?: string } | null;
}

/** A room event, parsed once at the edge. */
export type Incoming = IncomingText | IncomingReaction | IncomingTakeBack | IncomingOther;

export interface Envelope {
  readonly seq: number;
  readonly eventId: string;
  readonly roomId: string;
  readonly sender: string;
  /** By its server's clock. */
  readonly at: Date;
  /** By ours, when the sync brought it. */
  readonly receivedAt: Date;
}

export interface IncomingText extends Envelope {
  readonly kind: 'text';
  readonly msgtype: string;
  /** The sender's own words, the reply's quotation left out. */
  readonly body: string;
  readonly formattedBody?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly threadRoot?: string | undefined;
  /** Whom the sender's client says it mentions. */
  readonly mentions?: readonly string[] | undefined;
}

export interface IncomingReaction extends Envelope {
  readonly kind: 'reaction';
  readonly key: string;
  readonly relatesTo: string;
}

/** An earlier event was edited or removed. */
export interface IncomingTakeBack extends Envelope {
  readonly kind: 'take_back';
  readonly of: string;
}

export interface IncomingOther extends Envelope {
  readonly kind: 'other';
}

/** Marks on our own events, by which words, replies and threads find their task. */
export interface OwnMark {
  readonly task: string;
  readonly kind: 'answer' | 'card' | 'reminder' | 'line' | 'progress';
  /** Approvals that this event shows. */
  readonly approvals?: readonly string[];
}
export const OWN_MARK = 'io.oikos.ref';
/** On the line that shows a rule: which one its sentence will mean. */
export const RULE_OFFER = 'io.oikos.rule';
