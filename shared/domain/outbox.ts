/** What a person or the agent must hear of; each is a row written with the change itself (K8). */
export const OUTBOX_TYPES = [
  'turn.ended',
  'execution.waiting',
  'execution.approved',
  'execution.running',
  'execution.ended',
  'execution.shown',
  'approval.decided',
  'approval.reminder',
  'window.opened',
  'window.closed',
  'task.status',
  'room.say',
] as const;
export type OutboxType = (typeof OUTBOX_TYPES)[number];
