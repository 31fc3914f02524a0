import { Counter, Histogram, Registry } from 'prom-client';
import type { ExecutionRow } from '../shared/db/executions.ts';

export interface DaemonMetrics {
  ended(row: Pick<ExecutionRow, 'status' | 'risk'>, ms: number): void;
  queueError(): void;
  sshConnect(host: string, result: string): void;
  render(): Promise<{ type: string; text: string }>;
}

/** Counters in a registry of their own, so that a process may hold several daemons (tests). */
export function createDaemonMetrics(): DaemonMetrics {
  const registers = [new Registry()];
  const [registry] = registers;
  const executions = new Counter({
    name: 'oikos_executions_total',
    help: 'Executions that ended here, by outcome and class',
    labelNames: ['outcome', 'class'],
    registers,
  });
  const seconds = new Histogram({
    name: 'oikos_run_seconds',
    help: 'How long commands ran, by class',
    labelNames: ['class'],
    buckets: [0.05, 0.2, 1, 5, 20, 60, 300, 900, 3600],
    registers,
  });
  const queueErrors = new Counter({
    name: 'oikos_queue_errors_total',
    help: 'Errors of the queue connection (at most one in ten seconds is counted)',
    registers,
  });
  const connects = new Counter({
    name: 'oikos_ssh_connects_total',
    help: 'Attempts to connect, by host and result',
    labelNames: ['host', 'result'],
    registers,
  });
  return {
    ended(row, ms) {
      executions.inc({ outcome: row.status, class: row.risk });
      seconds.observe({ class: row.risk }, ms / 1_000);
    },
    queueError: () => queueErrors.inc(),
    sshConnect: (host, result) => connects.inc({ host, result }),
    render: async () => ({
      type: registry?.contentType ?? 'text/plain',
      text: (await registry?.metrics()) ?? '',
    }),
  };
}
