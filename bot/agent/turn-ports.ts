import type { Origin } from '../../shared/domain/origin.ts';
import type { LlmError } from './llm-error.ts';
import type { AssistantMessage, ChatMessage } from './messages.ts';
import type { Usage } from './reply.ts';

/** A call that is stored and not yet answered. */
export interface StoredCall {
  /** `<turn>:<ordinal>`: ours and unique, because providers repeat their ids. */
  readonly key: string;
  /** The provider's id, made unique within the task. */
  readonly id: string;
  readonly name: string;
  /** JSON text of an object. */
  readonly args: string;
}

export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /** The turn ends after this step: a card waits for a person. */
  readonly parked?: boolean;
  /** Nothing was done: the gate or a rule said no. */
  readonly refused?: boolean;
  /** Where the text came from (K4). */
  readonly origins: readonly Origin[];
  /** Executions whose end this result told (K7). */
  readonly told?: readonly string[];
  /** The task is done: the turn ends after this step. */
  readonly ended?: 'task_done';
  /** What the operator reads when the turn ends here and the model said nothing itself. */
  readonly say?: string;
}

export type ProgressEvent =
  | { readonly type: 'thinking'; readonly step: number }
  /** Words that came together with calls; the outcome repeats them if the turn ends with these. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call_started'; readonly call: StoredCall }
  | {
      readonly type: 'call_ended';
      readonly call: StoredCall;
      readonly parked: boolean;
      readonly refused: boolean;
    }
  /** A tool threw; the model was told that its outcome is unknown. */
  | { readonly type: 'call_failed'; readonly call: StoredCall; readonly error: unknown }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'asked_again'; readonly why: 'empty' | 'refusal' | 'cut' }
  | { readonly type: 'compacted' };

/** What a turn needs from outside. Everything is stored before it happens; rejections pass through. */
export interface TurnPorts {
  /**
   * The task's messages without the system prompt. Each call is answered exactly once, but for the
   * `outstanding` ones of the last message when a turn is resumed.
   */
  history(): Promise<readonly ChatMessage[]>;
  /** Stores the message with its calls before any of them runs; answers them in the same order. */
  saveAssistant(message: AssistantMessage): Promise<readonly StoredCall[]>;
  saveToolResult(call: StoredCall, result: ToolResult): Promise<void>;
  /** What the operator said since, already stored as user messages. Asked before each model call. */
  steering(): Promise<readonly ChatMessage[]>;
  /** Whether somebody has said something that `steering()` would answer. Asked before each call. */
  spoken(): Promise<boolean>;
  /**
   * `stop` was said: no further call runs. Also asked after a model call was aborted; a process that
   * is going down rejects here, which leaves the turn to be resumed.
   */
  stopped(): Promise<boolean>;
  onProgress(event: ProgressEvent): void;
  /** A shorter history that says the same; asked once, when the model's context overflows. */
  compact?(messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]>;
}

export const TURN_STATUSES = ['answered', 'parked', 'exhausted', 'stopped', 'failed'] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

export interface TurnOutcome {
  readonly status: TurnStatus;
  /** What the operator reads; may be empty unless `answered` or `exhausted`. */
  readonly text: string;
  /** Set when `failed`. */
  readonly error?: LlmError;
  /** True when a tool closed the task. */
  readonly taskDone: boolean;
  /** Model calls made. */
  readonly steps: number;
  readonly usage: Usage;
}
