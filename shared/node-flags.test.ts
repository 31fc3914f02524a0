import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NODE_FLAGS } from './node-flags.ts';

const [young = ''] = NODE_FLAGS.filter((flag) => flag.startsWith('--max-semi-space'));

// Neither can import it: the one may run under a Node without TypeScript, the other is no program.
it.each(['scripts/launch.mjs', 'Dockerfile'])(
  '%s starts Node with the same young space',
  (path) => {
    const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    expect(young).not.toBe('');
    expect(text).toContain(young);
  },
);
