import { expect, it } from 'vitest';
import { readScript } from './script.ts';

it('reads headings, captions and what is said, and passes remarks over', () => {
  const text = '# a remark\n\n## One\n> why\nrestart nginx\n/react 👍\n#also a remark\n';
  expect(readScript(text)).toEqual([
    { kind: 'heading', text: 'One' },
    { kind: 'caption', text: 'why' },
    { kind: 'input', line: 'restart nginx', input: { kind: 'say', text: 'restart nginx' } },
    { kind: 'input', line: '/react 👍', input: { kind: 'react', key: '👍', card: undefined } },
  ]);
});
