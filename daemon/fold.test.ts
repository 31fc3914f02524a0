import { describe, expect, it } from 'vitest';
import { createLineFolder, foldLine, stripAnsi } from './fold.ts';

it.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a window title', '\u001b]0;title\u0007text', 'text'],
  ['a charset switch', '\u001b(Btext', 'text'],
  ['nothing', 'plain [31m', 'plain [31m'],
])('strips %s', (_claim, text, expected) => {
  expect(stripAnsi(text)).toBe(expected);
});

it.each([
  ['a progress bar', '10 %\r50 %\r100 %', '100 %'],
  ['a Windows line', 'text\r', 'text'],
])('folds %s', (_claim, line, expected) => {
  expect(foldLine(line)).toBe(expected);
});

describe('the line folder', () => {
  it('passes on whole lines and keeps the open one', () => {
    const folder = createLineFolder();
    expect(folder.write('one\ntw')).toBe('one\n');
    expect(folder.write('o\n')).toBe('two\n');
    expect(folder.write('rest')).toBe('');
    expect(folder.end()).toBe('rest');
  });

  it('keeps a private key together', () => {
    const folder = createLineFolder();
    expect(folder.write('a\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n')).toBe('a\n');
    expect(folder.write('-----END OPENSSH PRIVATE KEY-----\n')).toContain('abc');
  });

  it('does not collect the states of an endless progress bar', () => {
    const folder = createLineFolder();
    for (let percent = 0; percent < 100; percent += 1) folder.write(`\r${percent} %`);
    expect(folder.write('\n')).toBe('99 %\n');
  });

  it('folds a progress bar also where many of its states come at once', () => {
    const folder = createLineFolder();
    const states = Array.from({ length: 3_000 }, (_none, index) => `\r${index + 1} of 3000`);
    expect(folder.write(states.join('')) + folder.write('\n')).toBe('3000 of 3000\n');
  });

  it('keeps a line whose end comes in pieces', () => {
    const folder = createLineFolder();
    folder.write('text\r');
    folder.write('\r');
    expect(folder.write('\n')).toBe('text\n');
  });

  it('is not held up by a flood of returns', () => {
    const asked = performance.now();
    const folder = createLineFolder();
    for (let round = 0; round < 5; round += 1) folder.write(`${'\r'.repeat(64_000)}x`);
    expect(performance.now() - asked).toBeLessThan(500);
  });

  it('passes an endless line on in pieces', () => {
    expect(createLineFolder().write('x'.repeat(20_000))).toHaveLength(20_000);
  });
});

describe('after a gap', () => {
  const after = (before: string, later: string) => {
    const folder = createLineFolder();
    const shown = folder.write(before);
    folder.gap();
    return shown + folder.write(later) + folder.end();
  };
  it.each([
    ['the open line and the rest of one are dropped', 'a\nsec', 'ret\nb\n', 'a\nb\n'],
    [
      'the rest of a private key is dropped',
      '-----BEGIN PRIVATE KEY-----\nabc\n',
      'def\nghi\n-----END PRIVATE KEY-----\nb\n',
      'b\n',
    ],
    [
      'a key that begins later is left to redaction',
      'a\n',
      'x\n-----BEGIN K\nb\n',
      'a\n-----BEGIN K\nb\n',
    ],
    ['what has no whole line shows nothing', 'a\n', 'secret', 'a\n'],
  ])('%s', (_claim, before, later, shown) => {
    expect(after(before, later)).toBe(shown);
  });
});
