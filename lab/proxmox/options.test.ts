import { describe, expect, it } from 'vitest';
import { expandPrefix, parseArguments, readBoolean } from './options.ts';

const kinds = { force: 'flag', purge: 'flag', 'keep-env': 'value', timeout: 'value' } as const;

describe('expandPrefix', () => {
  it.each([
    ['des', 'destroy'],
    ['sto', 'stop'],
    ['stop', 'stop'],
    ['de', undefined],
    ['bogus', undefined],
  ])('%s → %s', (given, expected) => {
    expect(expandPrefix(given, ['destroy', 'delsnapshot', 'start', 'stop', 'status'])).toBe(
      expected,
    );
  });
});

describe('parseArguments', () => {
  it('takes options anywhere, abbreviated, with one dash, and a boolean behind a flag', () => {
    expect(parseArguments(['101', '-forc', '0'], kinds)).toEqual({
      ok: true,
      positionals: ['101'],
      options: { force: '0' },
      rest: undefined,
    });
  });

  it('leaves everything behind -- alone', () => {
    expect(parseArguments(['101', '--keep-env', '0', '--', 'ls', '-la', '--', '*'], kinds)).toEqual(
      {
        ok: true,
        positionals: ['101'],
        options: { 'keep-env': '0' },
        rest: ['ls', '-la', '--', '*'],
      },
    );
  });

  it('reads --name=value', () => {
    expect(parseArguments(['--timeout=5', '101'], kinds)).toMatchObject({
      options: { timeout: '5' },
      positionals: ['101'],
    });
  });

  it.each([
    [['101', 'ls', '-la', '/x'], 'Unknown option: la\n400 unable to parse option'],
    [['--timeout'], 'Option timeout requires an argument\n400 unable to parse option'],
  ])('refuses %j', (args, message) => {
    expect(parseArguments(args, kinds)).toEqual({ ok: false, code: 255, message });
  });
});

describe('readBoolean', () => {
  it.each([
    ['1', true],
    ['0', false],
    ['yes', true],
    ['off', false],
    ['101', undefined],
  ])('%s → %s', (word, expected) => {
    expect(readBoolean(word)).toBe(expected);
  });
});
