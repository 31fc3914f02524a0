export const EXECUTION_STATUSES = [
  'proposed',
  'pending_approval',
  'approved',
  'running',
  'completed',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'refused',
  'lost',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const EXECUTION_EVENTS = [
  'asked',
  'granted',
  'denied',
  'expired',
  'cancelled',
  'claimed',
  'refused',
  'succeeded',
  'failed',
  'lost',
] as const;
export type ExecutionEvent = (typeof EXECUTION_EVENTS)[number];

type Edges = Readonly<Partial<Record<ExecutionEvent, ExecutionStatus>>>;

/**
 * The whole life of an execution; every status change in the system goes through this table.
 * `lost → completed | failed` happens on evidence only: the run's record was found again.
 */
const TRANSITIONS: Readonly<Record<ExecutionStatus, Edges>> = {
  proposed: {
    asked: 'pending_approval',
    granted: 'approved',
    denied: 'denied',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  pending_approval: {
    granted: 'approved',
    denied: 'denied',
    expired: 'expired',
    cancelled: 'cancelled',
  },
  approved: {
    claimed: 'running',
    refused: 'refused',
    expired: 'expired',
    cancelled: 'cancelled',
  },
  running: {
    succeeded: 'completed',
    failed: 'failed',
    cancelled: 'cancelled',
    lost: 'lost',
    refused: 'refused',
  },
  lost: { succeeded: 'completed', failed: 'failed' },
  completed: {},
  failed: {},
  denied: {},
  expired: {},
  cancelled: {},
  refused: {},
};

/** The status that `event` leads to, or undefined where the table has no such edge. */
export function transition(
  from: ExecutionStatus,
  event: ExecutionEvent,
): ExecutionStatus | undefined {
  return TRANSITIONS[from][event];
}

/** Nothing more happens by itself. `lost` counts: only found evidence moves it. */
export function isFinal(status: ExecutionStatus): boolean {
  return status === 'lost' || Object.keys(TRANSITIONS[status]).length === 0;
}

/** The agent is called again about these (K7); the others are a note in the next turn at most. */
export function isDueForContinuation(status: ExecutionStatus): boolean {
  return ['completed', 'failed', 'lost', 'refused', 'denied'].includes(status);
}
