import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NODE_FLAGS } from './node-flags.ts';

const ofMemory = NODE_FLAGS.filter((flag) => !flag.startsWith('--disable-warning'));

// Neither can import it: the one may run under a Node without TypeScript, the other is no program.
it.each(['scripts/launch.mjs', 'Dockerfile'])('%s tells Node the same of memory', (path) => {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  expect(ofMemory).toHaveLength(2);
  for (const flag of ofMemory) expect(text).toContain(flag);
});
