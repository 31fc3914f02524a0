import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { setVariables, UnwritableValue } from './env-file.ts';

describe('setVariables', () => {
  it('replaces what is set and keeps every other line', () => {
    const text = '# mine\nA=1\nTOKEN=old\n\nB=2 # two\n';
    expect(setVariables(text, { TOKEN: 'new' })).toBe('# mine\nA=1\nTOKEN=new\n\nB=2 # two\n');
  });

  it('replaces every line that sets it: the last one would win', () => {
    expect(setVariables('TOKEN=a\nexport TOKEN=b\n', { TOKEN: 'c' })).toBe('TOKEN=c\nTOKEN=c\n');
  });

  it('takes the place of the commented example', () => {
    expect(setVariables('# Secret.\n#TOKEN=\nA=1\n', { TOKEN: 'x' })).toBe(
      '# Secret.\nTOKEN=x\nA=1\n',
    );
  });

  it('appends what is not there, also to a last line without its end', () => {
    expect(setVariables('A=1', { TOKEN: 'x', URL: 'http://y' })).toBe(
      'A=1\nTOKEN=x\nURL=http://y\n',
    );
    expect(setVariables('', { TOKEN: 'x' })).toBe('TOKEN=x\n');
  });

  it('does not touch a variable whose name only begins alike', () => {
    expect(setVariables('TOKEN_FILE=/x\n', { TOKEN: 'y' })).toBe('TOKEN_FILE=/x\nTOKEN=y\n');
  });

  it.each(['syt_bm9tb3M_xYz_0aB', 'a b#c', "it's", '$HOME', 'a\\nb'])(
    'writes %j as Node reads it',
    (value) => {
      expect(parseEnv(setVariables('', { TOKEN: value }))).toEqual({ TOKEN: value });
    },
  );

  it('refuses what could become a line of its own', () => {
    expect(() => setVariables('', { TOKEN: 'x\nMATRIX_OPERATORS=@evil:x' })).toThrow(
      UnwritableValue,
    );
  });
});
