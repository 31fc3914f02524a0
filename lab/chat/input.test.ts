import { describe, expect, it } from 'vitest';
import { type Input, parseInput } from './input.ts';

describe('a typed line', () => {
  it.each<[string, Input]>([
    ['how full are the disks?', { kind: 'say', text: 'how full are the disks?' }],
    ['  ', { kind: 'nothing' }],
    ['/react 👍', { kind: 'react', key: '👍', card: undefined }],
    ['/react #2 👎', { kind: 'react', key: '👎', card: 2 }],
    ['/react 2 👎', { kind: 'react', key: '👎', card: 2 }],
    ['/reply 2 no, not now', { kind: 'reply', card: 2, text: 'no, not now' }],
    ['/reply yes', { kind: 'reply', card: undefined, text: 'yes' }],
    ['/thread 3', { kind: 'thread', card: 3 }],
    ['/thread', { kind: 'thread', card: undefined }],
    ['/help', { kind: 'help' }],
    ['/quit', { kind: 'quit' }],
    ['/history', { kind: 'history' }],
    ['//quit', { kind: 'say', text: '/quit' }],
    ['/etc/nginx is what?', { kind: 'say', text: '/etc/nginx is what?' }],
  ])('%j', (line, wanted) => expect(parseInput(line)).toEqual(wanted));

  it.each(['/react', '/react #2', '/reply', '/reply 2', '/frobnicate'])(
    '%j is answered with what is wrong, and sends nothing',
    (line) => expect(parseInput(line)).toMatchObject({ kind: 'wrong' }),
  );
});
