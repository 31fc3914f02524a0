import type { ToolRegistry } from './registry.ts';
import type { Repeats } from './repeats.ts';
import type { Tool } from './tool.ts';
import type { ProgressEvent, StoredCall, ToolResult } from './turn-ports.ts';

export interface RunCallDeps {
  readonly registry: ToolRegistry;
  readonly repeats: Repeats;
  readonly signal: AbortSignal | undefined;
  onProgress(event: ProgressEvent): void;
}

export interface CallAnswer {
  readonly result: ToolResult;
  /** The model named no tool or its arguments could not be understood. */
  readonly broken: boolean;
}

/** Answers one stored call. `args` is what the model really wrote, which may not be JSON. */
export async function runCall(
  deps: RunCallDeps,
  call: StoredCall,
  args: string,
): Promise<CallAnswer> {
  const tool = deps.registry.find(call.name);
  if (!tool) return broken(unknownTool(call.name, deps.registry));
  const prepared = tool.prepare(args);
  if (!prepared.ok) {
    return broken(`Error: ${prepared.error}. Nothing ran. Correct the arguments and call again.`);
  }
  const earlier = deps.repeats.earlier(tool, call);
  if (earlier) return { result: earlier, broken: false };

  deps.onProgress({ type: 'call_started', call });
  const result = await prepared
    .run({ call, ...(deps.signal ? { signal: deps.signal } : {}) })
    .catch((error: unknown) => {
      deps.onProgress({ type: 'call_failed', call, error });
      return toolFailed(tool);
    });
  deps.repeats.record(tool, call, result);
  deps.onProgress({
    type: 'call_ended',
    call,
    parked: result.parked === true,
    refused: result.refused === true,
  });
  return { result, broken: false };
}

/** The answer of a call that was never started. */
export function notStarted(text: string): ToolResult {
  return { text, origins: ['oikos'] };
}

function broken(text: string): CallAnswer {
  return { result: notStarted(text), broken: true };
}

function unknownTool(name: string, { tools }: ToolRegistry): string {
  const names = tools.map((tool) => tool.name).join(', ');
  return `Error: there is no tool ${JSON.stringify(name.slice(0, 64))}. Nothing ran. The tools are: ${names}.`;
}

function toolFailed({ kind }: Tool): ToolResult {
  return notStarted(
    kind === 'gated'
      ? 'Error: Oikos lost sight of this call. Whether it was started is unknown: look with get_execution_status before asking again.'
      : 'Error: this tool failed inside Oikos. Nothing changed.',
  );
}
