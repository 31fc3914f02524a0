import { type Tool, ToolDefinitionError } from './tool.ts';

/** All tools of the agent, sorted by name so that the model's prefix never changes by itself. */
export interface ToolRegistry {
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
}

/** Throws `ToolDefinitionError` when two tools share a name. */
export function createRegistry(tools: readonly Tool[]): ToolRegistry {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(sorted.map((tool) => [tool.name, tool]));
  if (byName.size !== tools.length) {
    throw new ToolDefinitionError('two tools have the same name');
  }
  return { tools: sorted, find: (name) => byName.get(name) };
}
