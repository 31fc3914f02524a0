import { describe, expect, it } from 'vitest';
import { readPctCall } from './pct-usage.ts';

describe('readPctCall', () => {
  it('expands an unambiguous beginning, as the real pct does without asking', () => {
    expect(readPctCall(['des', '101', '-forc', '0'])).toEqual({
      command: 'destroy',
      vmid: 101,
      extra: [],
      options: { force: '0' },
    });
  });

  it('passes the words of exec through untouched', () => {
    expect(
      readPctCall(['exec', '101', '--keep-env', '0', '--', '/bin/echo', '*', '--', '-n']),
    ).toMatchObject({
      command: 'exec',
      vmid: 101,
      extra: ['/bin/echo', '*', '--', '-n'],
      options: { 'keep-env': '0' },
    });
    expect(readPctCall(['exec', '101', 'echo', 'hi'])).toMatchObject({ extra: ['echo', 'hi'] });
  });

  it.each([
    [['de', '101'], 255, "ERROR: incomplete command 'pct de'\n"],
    [['bogus'], 255, "ERROR: unknown command 'pct bogus'\n"],
    [['start'], 2, '400 not enough arguments\npct start <vmid> [OPTIONS]\n'],
    [
      ['start', 'web'],
      255,
      '400 Parameter verification failed.\nvmid: invalid format - value does not look like a valid VM ID\n\npct start <vmid> [OPTIONS]\n',
    ],
    [['destroy', '--force', '101'], 2, '400 not enough arguments\n'],
    [
      ['exec', '101', 'ls', '-la', '/x'],
      255,
      'Unknown option: la\n400 unable to parse option\npct exec <vmid> [<extra-args>] [OPTIONS]\n',
    ],
    [['start', '101', '102'], 2, '400 too many arguments\n'],
    [['clone', '101', '200'], 255, 'pct clone: not in this lab\n'],
  ])('answers pct %j', (args, code, beginning) => {
    const answer = readPctCall(args);
    expect(answer).toMatchObject({ code });
    expect('err' in answer ? answer.err : '').toContain(beginning);
  });
});
