import type { ExecutionRow } from '../../../shared/db/executions.ts';
import type { KeptOutput } from '../../../shared/db/read-output.ts';
import { targetOf } from '../../../shared/db/windows.ts';
import { type Origin, originOf } from '../../../shared/domain/origin.ts';
import { fence, type Share, toolOutputForModel } from '../untrusted.ts';

/** How people and the model name an execution: its card number, or a short id. */
export function nameOf(execution: ExecutionRow): string {
  return execution.number === null ? `run ${execution.id.slice(0, 8)}` : `#${execution.number}`;
}

/** One line on where an execution stands, without its output. */
export function headline(execution: ExecutionRow): string {
  const what = `${oneLine(execution.command)} on ${execution.targetSlug}`;
  return `${nameOf(execution)} ${stateOf(execution)}: ${what}`;
}

/** Who wrote the output (K4): a host's logs and foreign files may hold anybody's text. */
export function outputOrigin(execution: ExecutionRow): Origin {
  const target = targetOf(execution);
  const outside = target.kind === 'host' && execution.gate.flags.includes('outside_text');
  return outside ? 'outside' : originOf(target);
}

export interface OutputTextOptions {
  readonly nonce: string;
  readonly redact: (text: string) => string;
  /** Left out: what one command alone may show. */
  readonly share?: Share;
}

/** The output as the model reads it: fenced, cleaned, both streams named. */
export function outputText(
  execution: ExecutionRow,
  output: KeptOutput,
  { nonce, redact, share }: OutputTextOptions,
): string {
  const label = execution.targetSlug;
  const options = { redact, execution: nameOf(execution), ...(share && { share }) };
  const blocks = (['stdout', 'stderr'] as const)
    .filter((stream) => output[stream].trim() !== '')
    .map((stream) =>
      fence(toolOutputForModel(output[stream], options), nonce, `${label} ${stream}`),
    );
  return blocks.length > 0 ? blocks.join('\n') : '(no output)';
}

/** Where it stands, in words that follow its name. */
export function stateOf(execution: ExecutionRow): string {
  const seconds = secondsOf(execution);
  switch (execution.status) {
    case 'completed':
      return `completed, exit code ${execution.exitCode ?? 'not told'}${seconds}${reasonOf(execution)}`;
    case 'failed':
      return execution.exitCode === null
        ? `failed${reasonOf(execution)}`
        : `failed, exit code ${execution.exitCode}${seconds}`;
    case 'lost':
      return `is lost: it was started and its outcome is not known${reasonOf(execution)}`;
    case 'refused':
      return `was refused before it started, nothing ran${reasonOf(execution)}`;
    case 'denied':
      return `was denied, nothing ran${reasonOf(execution)}`;
    case 'cancelled':
      return `was cancelled${reasonOf(execution)}`;
    case 'expired':
      return `expired, nothing ran${reasonOf(execution)}`;
    case 'pending_approval':
      return "waits for the operator's yes";
    case 'proposed':
      return 'is being looked at';
    case 'approved':
      return 'is approved and about to start';
    case 'running':
      return 'is still running';
    default:
      return execution.status satisfies never;
  }
}

function reasonOf(execution: ExecutionRow): string {
  return execution.reason ? ` (${oneLine(execution.reason)})` : '';
}

function secondsOf({ startedAt, endedAt }: ExecutionRow): string {
  if (!startedAt || !endedAt) return '';
  return `, ${((endedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1)} s`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
