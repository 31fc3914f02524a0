import { describe, expect, it } from 'vitest';
import { readGap } from './gap.ts';

/** Pages of a room, newest first, named by their token; the last has no end. */
function room(pages: Record<string, { chunk: string[]; end?: string }>) {
  const asked: string[] = [];
  return {
    asked,
    reader: {
      page: async ({ from, to }: { from: string; to: string }) => {
        asked.push(`${from}→${to}`);
        return pages[from] ?? { chunk: [] };
      },
      isBeginning: (event: unknown) => event === 'our join',
      maxEvents: 1_000,
    },
  };
}

describe('a gap that a sync left', () => {
  it('is read page by page and given oldest first', async () => {
    const { reader, asked } = room({
      p3: { chunk: ['e6', 'e5'], end: 'p2' },
      p2: { chunk: ['e4'] },
    });
    expect(await readGap('p3', 's1', reader)).toEqual({ events: ['e4', 'e5', 'e6'], cut: false });
    expect(asked).toEqual(['p3→s1', 'p2→s1']);
  });

  it('is read over a page that names an end but holds nothing', async () => {
    const { reader } = room({ p3: { chunk: ['e6'], end: 'p2' }, p2: { chunk: [], end: 'p1' } });
    expect(await readGap('p3', 's1', reader)).toEqual({ events: ['e6'], cut: false });
  });

  it('ends where we came into the room', async () => {
    const { reader, asked } = room({ p3: { chunk: ['e6', 'our join', 'e4'], end: 'p2' } });
    await readGap('p3', 's1', reader);
    expect(asked).toHaveLength(1);
  });

  it('is cut when it is longer than we can take, and says so', async () => {
    const { reader } = room({
      p3: { chunk: ['e6', 'e5'], end: 'p2' },
      p2: { chunk: ['e4'], end: 'p1' },
    });
    const gap = await readGap('p3', 's1', { ...reader, maxEvents: 2 });
    expect(gap).toEqual({ events: ['e5', 'e6'], cut: true });
  });

  it('ends when a server answers the same token for ever', async () => {
    const { reader, asked } = room({ p3: { chunk: ['e6'], end: 'p3' } });
    await readGap('p3', 's1', reader);
    expect(asked).toHaveLength(1);
  });
});
