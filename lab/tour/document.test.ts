import { describe, expect, it } from 'vitest';
import { firstDifference, toMarkdown, withSection } from './document.ts';

it('writes headings, captions and conversations', () => {
  const parts = [
    { kind: 'heading', text: 'One' },
    { kind: 'caption', text: 'Why.' },
    { kind: 'chat', text: 'you:\n  a' },
    { kind: 'chat', text: 'you:\n  b' },
    { kind: 'heading', text: 'Two' },
    { kind: 'chat', text: 'you:\n  c' },
  ] as const;
  expect(toMarkdown(parts, { numbered: true })).toBe(
    '### 1. One\n\nWhy.\n\n````text\nyou:\n  a\n\nyou:\n  b\n````\n\n### 2. Two\n\n````text\nyou:\n  c\n````',
  );
  expect(toMarkdown(parts, { numbered: false })).toMatch(/^### One\n/);
});

describe('a section of a document', () => {
  const document = 'a\n<!-- tour:begin -->\nold\n<!-- tour:end -->\nz\n';
  it('is replaced between its marks', () => {
    expect(withSection(document, 'tour', 'new')).toBe(
      'a\n<!-- tour:begin -->\nnew\n<!-- tour:end -->\nz\n',
    );
  });
  it('is not guessed where the marks are missing', () => {
    expect(withSection('a\nz\n', 'tour', 'new')).toBeUndefined();
  });
});

it('names the first line that differs', () => {
  expect(firstDifference('a\nb', 'a\nb')).toBeUndefined();
  expect(firstDifference('a\nb', 'a\nc')).toContain('line 2');
  expect(firstDifference('a', 'a\nc')).toContain('line 2');
});
