/** Lines that belong together and change together. */
export interface Block {
  readonly id: string;
  readonly lines: readonly string[];
}

export interface Update {
  /** Lines of the screen to go up and throw away. */
  readonly up: number;
  readonly print: readonly string[];
  /** Blocks that changed where the screen does not reach any more. */
  readonly outOfReach: readonly string[];
}

/**
 * What to do so that a screen that shows `before` shows `after`: the first changed block that is
 * still in sight is rewritten with everything below it. `reach` is how many lines can be gone up.
 */
export function planUpdate(
  before: readonly Block[],
  after: readonly Block[],
  reach: number,
): Update {
  const shown = new Map(before.map((block) => [block.id, block.lines.join('\n')]));
  const changed = after.findIndex(
    ({ id, lines }, index) => before[index]?.id !== id || shown.get(id) !== lines.join('\n'),
  );
  if (changed < 0 && before.length <= after.length) return { up: 0, print: [], outOfReach: [] };
  const from = firstInReach(before, changed < 0 ? after.length : changed, reach);
  const outOfReach = after
    .slice(0, from)
    .filter(({ id, lines }) => shown.has(id) && shown.get(id) !== lines.join('\n'))
    .map(({ id }) => id);
  return {
    up: linesOf(before.slice(from)),
    print: after.slice(from).flatMap(({ lines }) => lines),
    outOfReach,
  };
}

/** The block to begin with, so that not more than `reach` lines are rewritten. */
function firstInReach(before: readonly Block[], wanted: number, reach: number): number {
  let from = wanted;
  while (from < before.length && linesOf(before.slice(from)) > reach) from += 1;
  return from;
}

function linesOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { lines }) => sum + lines.length, 0);
}
