import { z } from 'zod';

const Page = z.object({
  chunk: z.array(z.unknown()).catch([]).default([]),
  end: z.string().optional().catch(undefined),
});

export interface GapReader {
  /** One page of GET /messages, newest first. */
  page: (ask: { from: string; to: string; limit: number }) => Promise<unknown>;
  /** True for the event before which nothing is of interest: our own join. */
  isBeginning: (event: unknown) => boolean;
  maxEvents: number;
}

export interface Gap {
  /** Oldest first. */
  events: unknown[];
  /** There was more than `maxEvents`; the oldest are missing. */
  cut: boolean;
}

const PAGE_SIZE = 100;

/**
 * Reads back what a limited sync left out: from the start of its timeline to the token of the
 * sync before it.
 */
export async function readGap(from: string, to: string, reader: GapReader): Promise<Gap> {
  const newestFirst: unknown[] = [];
  let cursor: string | undefined = from;
  while (cursor !== undefined) {
    if (newestFirst.length >= reader.maxEvents) return { events: newestFirst.reverse(), cut: true };
    const page = Page.parse(await reader.page({ from: cursor, to, limit: PAGE_SIZE }));
    newestFirst.push(...page.chunk);
    const isOver: boolean =
      page.chunk.length === 0 || page.end === cursor || page.chunk.some(reader.isBeginning);
    cursor = isOver ? undefined : page.end;
  }
  return { events: newestFirst.reverse(), cut: false };
}
