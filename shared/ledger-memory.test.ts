import { expect, it } from 'vitest';
import { createLedgerMemory } from './ledger-memory.ts';

const at = new Date('2026-01-01T00:00:00Z');
const closed = (data: string) => ({
  seq: 1,
  at,
  kind: 'window.closed',
  actor: 'op',
  taskId: null,
  executionId: null,
  approvalId: null,
  eventId: null,
  data,
});

it('remembers what the ledger told the end of', () => {
  const memory = createLedgerMemory(at);
  memory.hear(closed('{"window":"w1"}'));
  expect([memory.tellsEnd('window', 'w1'), memory.tellsEnd('window', 'w2')]).toEqual([true, false]);
});

it.each(['null', '[]', '7'])('lives with data that somebody made %s', (data) => {
  expect(() => createLedgerMemory(at).hear(closed(data))).not.toThrow();
});
