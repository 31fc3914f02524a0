import { createRegistry, type ToolRegistry } from '../registry.ts';
import { completeTaskTool } from './complete-task.ts';
import type { ToolDeps } from './deps.ts';
import { readTools } from './read-tools.ts';
import { runTool } from './run.ts';

/** Every tool the agent has; the only registry. */
export function toolRegistry(deps: ToolDeps): ToolRegistry {
  return createRegistry([runTool(deps), ...readTools(deps), completeTaskTool(deps)]);
}
