import { describe, expect, it } from 'vitest';
import type { ContentFacts, FoundFile } from '../../shared/domain/content.ts';
import { type CardView, renderCard } from './card.ts';

const OPTIONS = { now: new Date('2025-11-29T13:05:00Z'), timeZone: 'UTC' };
const found: FoundFile = {
  real: '/srv/x.sh',
  size: 1_234,
  owner: 'root',
  uid: 0,
  gid: 0,
  mode: '755',
  sha256: '0123456789abcdef'.repeat(4),
  head: '#!/bin/sh\nrm -rf "$1"\n```\n',
};
const { head: _head, ...silent } = found;
const script = { path: '/srv/x.sh', use: 'runs it', state: 'file', found } as const;
const NONE: ContentFacts = { files: [], lists: [] };

const view: CardView = {
  number: 7,
  status: 'pending_approval',
  risk: 'config_mutation',
  flags: ['opaque'],
  reasons: ['runs commands that cannot be seen beforehand'],
  target: 'host:lab',
  command: 'bash /srv/x.sh',
  purpose: '',
  phrase: null,
  expiresAt: new Date('2025-11-30T13:05:00Z'),
  requestedBy: '@op:hs.lan',
};

const body = (facts: ContentFacts, more: Partial<CardView> = {}) =>
  renderCard({ ...view, facts, ...more }, OPTIONS).body.split('\n');

it('shows the text that a command runs between the command and what to say', () => {
  expect(body({ ...NONE, files: [script] })).toEqual([
    '#7 needs your yes: bash /srv/x.sh on host:lab',
    'Class: config_mutation (changes how something runs), opaque (the gate cannot see all that it does). Why: runs commands that cannot be seen beforehand.',
    'On host:lab, asked by @op:hs.lan.',
    '```',
    'bash /srv/x.sh',
    '```',
    'It runs /srv/x.sh (1.2 kB, owner root, mode 755, sha256 0123456789ab…). It begins:',
    '````',
    '1  #!/bin/sh',
    '2  rm -rf "$1"',
    '3  ```',
    '````',
    'Say yes or go ahead, react 👍, or reply; no or 👎 denies.',
    'Waits until 13:05, 30 Nov (UTC).',
  ]);
});

const fileLines = (facts: ContentFacts, more: Partial<CardView> = {}) =>
  body(facts, more).filter((text) => /^It |matches /.test(text));

describe('a file', () => {
  it.each<[string, ContentFacts['files'], string[]]>([
    [
      'that is not there says nothing',
      [{ path: '/srv/x.sh', use: 'runs it', state: 'absent' }],
      [],
    ],
    [
      'of a guest says which one',
      [{ ...script, in: 'lxc/101', use: 'takes settings from it' }],
      [
        'It takes settings from /srv/x.sh in lxc/101 (1.2 kB, owner root, mode 755, sha256 0123456789ab…). It begins:',
      ],
    ],
    [
      'that is a link says where it leads',
      [{ ...script, path: '/srv/link', found: { ...found, size: 12 } }],
      [
        'It runs /srv/link (12 bytes, owner root, mode 755, sha256 0123456789ab…), which leads to /srv/x.sh. It begins:',
      ],
    ],
    [
      'under two names is shown once',
      [script, { ...script, path: 'x.sh' }],
      ['It runs /srv/x.sh (1.2 kB, owner root, mode 755, sha256 0123456789ab…). It begins:'],
    ],
    [
      'without text, or with secrets, says so',
      [{ ...script, found: { ...silent, size: 5_000_000 } }],
      [
        'It runs /srv/x.sh (5.0 MB, owner root, mode 755, sha256 0123456789ab…). Its text is not shown.',
      ],
    ],
  ])('%s', (_claim, files, lines) => {
    expect(fileLines({ ...NONE, files })).toEqual(lines);
  });

  it('keeps its line, without its text, once the card is decided', () => {
    expect(fileLines({ ...NONE, files: [script] }, { status: 'running' })).toEqual([
      'It runs /srv/x.sh (1.2 kB, owner root, mode 755, sha256 0123456789ab…).',
    ]);
  });

  it('is one of four that show their text', () => {
    const files = Array.from({ length: 6 }, (_none, at) => ({
      ...script,
      path: `/srv/${at}`,
      found: { ...found, real: `/srv/${at}` },
    }));
    const begin = fileLines({ ...NONE, files }).filter((text) => text.endsWith('It begins:'));
    expect(begin).toHaveLength(4);
  });

  it('cannot end the block that its text is shown in, nor imitate a card', () => {
    const html = renderCard({ ...view, facts: { ...NONE, files: [script] } }, OPTIONS);
    expect(html.formatted_body).toContain('<pre><code>1  #!/bin/sh\n2  rm -rf &quot;$1&quot;');
  });
});

describe('a pattern', () => {
  const list = { pattern: '/srv/*.log', sha256: 'aa' };

  it.each([
    [1, ['/srv/a.log'], '/srv/*.log matches 1 file: /srv/a.log.'],
    [
      12,
      ['/srv/a.log', '/srv/b.log'],
      '/srv/*.log matches 12 files: /srv/a.log, /srv/b.log, and 10 more.',
    ],
  ])('is shown with its %d matches', (count, names, text) => {
    const facts = { ...NONE, lists: [{ ...list, count, names }] };
    expect(fileLines(facts)).toEqual([text]);
  });
});

it('tells what its files name and nobody looked at', () => {
  const unseen = ['$X/a.env', ...Array.from({ length: 9 }, (_, i) => `b${i}`)];
  const lines = body({ ...NONE, files: [script], unseen });
  expect(lines.find((text) => text.includes('not looked'))).toBe(
    'They name further files that were not looked at: $X/a.env, b0, b1, b2, b3, b4, b5, b6, and 2 more.',
  );
});
