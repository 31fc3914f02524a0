import { describe, expect, it } from 'vitest';
import { readOptions } from './demo-options.ts';

const read = (...argv: string[]) => readOptions(argv, '/repo');

describe('the options of the demo', () => {
  it('are none at first', () => {
    expect(read()).toEqual({
      ok: true,
      options: {
        dir: '/repo/.oikos/demo',
        mode: { kind: 'chat' },
        reset: false,
        timing: false,
        noColour: false,
        offline: false,
        form: undefined,
        homeserver: undefined,
      },
    });
  });

  it('make the tour a new one, offline, in a folder of its own', () => {
    expect(read('--tour')).toMatchObject({
      options: { dir: '/repo/.oikos/tour', mode: { kind: 'tour' }, reset: true, offline: true },
    });
  });

  it('take an own homeserver', () => {
    expect(read('--homeserver', 'https://hs', '--user', '@me:hs')).toMatchObject({
      options: { homeserver: { url: 'https://hs', user: '@me:hs' } },
    });
  });

  it.each([
    [['--homeserver', 'https://hs'], /belong together/],
    [['--homeserver', 'hs', '--user', '@me:hs'], /http:\/\//],
    [['--homeserver', 'https://hs', '--user', 'me'], /@name:server/],
    [['--homeserver', 'https://hs', '--user', '@me:hs', '--tour'], /leave --homeserver out/],
    [['--tour', '--script', 'x'], /exclude each other/],
    [['--lab', 'docker'], /namespaces and state/],
    [['--frobnicate'], /frobnicate/],
    [['--help'], /--tour/],
  ])('%j is refused with a reason', (argv, reason) => {
    expect(read(...argv)).toEqual({ ok: false, complaint: expect.stringMatching(reason) });
  });
});
