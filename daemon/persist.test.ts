import { expect, it } from 'vitest';
import { persist } from './persist.ts';

/** A database that is away for the first `away` questions and refuses the first `refused` writes. */
function database(away: number, refused: number) {
  const seen = { asks: 0, writes: 0, errors: 0 };
  const deps = {
    pause: () => Promise.resolve(),
    gaveUp: () => false,
    onError: () => {
      seen.errors += 1;
    },
    ask: async () => {
      seen.asks += 1;
      if (seen.asks <= away) throw new Error('away');
    },
  };
  const write = async () => {
    seen.writes += 1;
    if (seen.writes <= refused) throw new Error('not now');
    return 'stored';
  };
  return { seen, deps, write };
}

it('waits for a database that is away, however long', async () => {
  const { seen, deps, write } = database(1_000, 100);
  expect(await persist(deps, write)).toBe('stored');
  expect(seen.writes).toBe(101);
});

it('gives up on one that answers and refuses all the same', async () => {
  const { seen, deps, write } = database(0, 1_000);
  expect(await persist(deps, write)).toBeUndefined();
  expect(seen).toMatchObject({ writes: 12, errors: 12 });
});

it('tries once where there is no time left', async () => {
  const { seen, deps, write } = database(0, 1_000);
  expect(await persist({ ...deps, gaveUp: () => true }, write)).toBeUndefined();
  expect(seen.writes).toBe(1);
});
