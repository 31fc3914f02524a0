import { describe, expect, it } from 'vitest';
import {
  type ContentFacts,
  differenceOf,
  type FileFact,
  type FoundFile,
  factsText,
  matchesOf,
  needsFacts,
  objections,
  openTo,
} from './content.ts';

const found: FoundFile = {
  real: '/srv/x.sh',
  size: 3,
  owner: 'root',
  uid: 0,
  gid: 0,
  mode: '755',
  sha256: 'aa',
};
const fact = (more: Partial<FileFact> = {}): FileFact => ({
  path: '/srv/x.sh',
  use: 'runs it',
  state: 'file',
  found,
  ...more,
});
const absent = fact({ state: 'absent' }) satisfies FileFact;
const facts = (files: readonly FileFact[], lists: ContentFacts['lists'] = []): ContentFacts => ({
  files,
  lists,
});
const gone: FileFact = { path: '/srv/x.sh', use: 'runs it', state: 'absent' };

const rights = (mode: string, uid = 0, gid = 0) => ({ uid, gid, mode });
const way = [rights('755'), rights('1777'), rights('755')];

describe('who else may change a file', () => {
  it.each([
    ["root's own", rights('755'), [way], undefined],
    ["the runner's own", rights('700', 1000), [way], undefined],
    ['one of another user', rights('755', 33), [way], 'it belongs to user 33'],
    ['one that anybody writes', rights('757'), [way], 'others may write to it (mode 757)'],
    ['one that a group writes', rights('775', 0, 50), [way], 'others may write to it (mode 775)'],
    ["one that root's group writes", rights('775'), [way], undefined],
    [
      'one in a shared folder, sticky or not',
      rights('755'),
      [[rights('1777'), rights('755')]],
      'others may write to a folder on its way (mode 1777)',
    ],
    [
      'one below an open folder',
      rights('755'),
      [way, [rights('755'), rights('777')]],
      'others may write to a folder on its way (mode 777)',
    ],
    [
      "one in another user's folder",
      rights('755'),
      [[rights('755', 33)]],
      'a folder on its way belongs to user 33',
    ],
  ])('of %s', (_claim, file, folders, words) => {
    expect(openTo(file, folders, 1000)).toBe(words);
  });
});

describe('objections', () => {
  const one = { contents: [{ paths: ['/srv/x.sh'], use: 'runs it', need: 'one' as const }] };
  const any = { contents: [{ paths: ['/srv/x.sh'], use: 'runs it', need: 'any' as const }] };
  const glob = { globs: [{ pattern: '/srv/a/*' }] };
  const list = { pattern: '/srv/a/*', count: 2, sha256: 'bb', names: [] };

  it.each([
    ['none for a safe file', one, facts([fact()]), []],
    ['a missing file', one, facts([gone]), ['there is no /srv/x.sh']],
    ['none for one that need not be there', any, facts([gone]), []],
    ['a folder', any, facts([{ ...gone, state: 'other' }]), ['/srv/x.sh is no file']],
    [
      'an open file',
      one,
      facts([fact({ found: { ...found, openTo: 'others may write to it' } })]),
      ['/srv/x.sh is no safe thing to run: others may write to it'],
    ],
    [
      'a file that another one names, open to others',
      glob,
      facts(
        [fact({ namedBy: '/srv/a.sh', found: { ...found, openTo: 'anybody may write it' } })],
        [list],
      ),
      ['/srv/x.sh, which /srv/a.sh names, is no safe thing to use: anybody may write it'],
    ],
    [
      'a file that another one names, safe',
      glob,
      facts([fact({ namedBy: '/srv/a.sh' })], [list]),
      [],
    ],
    ['none for matches', glob, facts([], [list]), []],
    ['no matches', glob, facts([], [{ ...list, count: 0 }]), ['its pattern matches nothing']],
  ])('%s', (_claim, gate, known, words) => {
    expect(objections(gate, known)).toEqual(words);
  });
});

describe('a difference', () => {
  const change = (more: Partial<FoundFile>) => facts([fact({ found: { ...found, ...more } })]);
  const list = { pattern: '*', count: 2, sha256: 'bb', names: [] };

  it.each([
    ['is none in the same', facts([fact()], [list]), undefined],
    ['in text', change({ sha256: 'bb' }), '/srv/x.sh has other text since it was shown'],
    ['in place', change({ real: '/y' }), '/srv/x.sh leads to /y since it was shown'],
    ['in owner', change({ uid: 1 }), '/srv/x.sh has another owner since it was shown'],
    ['in rights', change({ mode: '777' }), '/srv/x.sh has other rights since it was shown'],
    ['in who may write', change({ openTo: 'open' }), '/srv/x.sh: open'],
    ['by going', facts([gone]), '/srv/x.sh is gone'],
    ['by becoming a folder', facts([{ ...gone, state: 'other' }]), '/srv/x.sh is no file any more'],
    [
      'by a file nobody looked at',
      facts([fact({ path: '/other' })]),
      '/other was not looked at when this was proposed',
    ],
    [
      'by the same path in a guest',
      facts([fact({ in: 'lxc/101' })]),
      '/srv/x.sh was not looked at when this was proposed',
    ],
    [
      'in a list',
      facts([], [{ ...list, sha256: 'cc', count: 3 }]),
      '* matches other files than when this was proposed (2 then, 3 now)',
    ],
    [
      'by a list nobody made',
      facts([], [{ ...list, pattern: 'x*' }]),
      'x* matches other files than when this was proposed (0 then, 2 now)',
    ],
  ])('%s', (_claim, now, words) => {
    expect(differenceOf(facts([fact()], [list]), now)).toBe(words);
  });

  it('is seen where a file came', () => {
    expect(differenceOf(facts([absent]), facts([fact()]))).toMatch(/is there now/);
  });
});

it('needs facts for files and patterns only', () => {
  expect(needsFacts({})).toBe(false);
  expect(needsFacts({ contents: [], globs: [{ pattern: '*' }] })).toBe(true);
});

it('counts matches', () => {
  expect(matchesOf(null)).toBe(0);
  const list = { pattern: '*', count: 2, sha256: 'bb', names: [] };
  expect(matchesOf(facts([], [list, list]))).toBe(4);
});

it('hashes what a yes depends on, and no first lines', () => {
  const list = { pattern: '*', count: 2, sha256: 'bb', names: ['a'] };
  expect(factsText(facts([fact({ in: 'lxc/101' }), gone], [list]))).toEqual([
    ['lxc/101', '/srv/x.sh', 'file', '/srv/x.sh', 0, 0, '755', 'aa'],
    ['', '/srv/x.sh', 'absent'],
    ['*', 2, 'bb'],
  ]);
});
