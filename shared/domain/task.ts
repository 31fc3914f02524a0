export const TASK_STATUSES = ['open', 'waiting', 'done', 'abandoned'] as const;

export const TASK_OUTCOMES = ['success', 'partial', 'failure'] as const;
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

/** A main task without anything open closes at the next top-level message after this quiet time. */
export const MAIN_TASK_QUIET_MS = 6 * 60 * 60_000;
/** Turns that follow one another without an operator's message (K7). */
export const MAX_CONTINUATIONS = 20;

/** `command`: an operator's own `!oikos run`, which the model has no part in. */
export const TURN_TRIGGERS = ['message', 'continuation', 'decision', 'triage', 'command'] as const;
export type TurnTrigger = (typeof TURN_TRIGGERS)[number];

export const TURN_STATUSES = ['queued', 'running', 'ended'] as const;

/** How a turn ended; a turn never ends silently. */
export const TURN_OUTCOMES = ['answered', 'parked', 'exhausted', 'stopped', 'failed'] as const;
