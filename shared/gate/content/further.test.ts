import { describe, expect, it } from 'vitest';
import { BASH_FACTS } from '../facts.ts';
import { furtherFiles } from './further.ts';

const named = (path: string, text: string, more: { in?: string } = {}) =>
  furtherFiles({ path, real: path, text, ...more }, BASH_FACTS);
const paths = (path: string, text: string) => named(path, text).files.map((file) => file.path);

describe('a file names', () => {
  it.each<[string, string, string, string[]]>([
    [
      'included stacks and their settings',
      '/opt/x/compose.yaml',
      'include:\n  - ../db/compose.yaml\n  - path: [a.yaml]\n    env_file: b.env\n',
      ['/opt/db/compose.yaml', '/opt/x/a.yaml', '/opt/x/b.env'],
    ],
    [
      'what services extend, their settings, images and secrets',
      '/opt/x/stack.yml',
      [
        'services:',
        '  web:',
        '    extends: {file: common.yml, service: base}',
        '    env_file: [web.env, {path: /etc/web.env, required: false}]',
        '    build: ./web',
        '  job:',
        '    build: {context: job, dockerfile: Other}',
        'secrets:',
        '  pw: {file: ./pw.txt}',
      ].join('\n'),
      [
        '/opt/x/common.yml',
        '/opt/x/web.env',
        '/etc/web.env',
        '/opt/x/web/Dockerfile',
        '/opt/x/job/Other',
        '/opt/x/pw.txt',
      ],
    ],
    [
      'what a unit runs and is set by, and what adds to it',
      '/etc/systemd/system/x.service',
      '[Service]\nEnvironmentFile=-/etc/default/x\nExecStartPre=+/opt/pre\nExecStart=/bin/bash /opt/x.sh --fast\n',
      ['/etc/default/x', '/opt/pre', '/opt/x.sh', '/etc/systemd/system/x.service.d'],
    ],
    [
      'scripts of a script',
      '/opt/x.sh',
      '#!/bin/bash\n. /opt/lib.sh\nif true; then bash /opt/y.sh; fi\n/opt/z --now\n',
      ['/opt/lib.sh', '/opt/y.sh', '/opt/z'],
    ],
    [
      'scripts of a crontab',
      '/tmp/tab',
      '0 3 * * * /opt/b.sh\n@reboot bash /opt/c.sh\n',
      ['/opt/b.sh', '/opt/c.sh'],
    ],
    [
      'roles, tasks and variables of a playbook',
      '/opt/a/site.yml',
      [
        '- hosts: all',
        '  vars_files: [v.yml]',
        '  roles: [web, {role: db}]',
        '  tasks:',
        '    - import_tasks: t.yml',
        '    - block:',
        '        - ansible.builtin.include_tasks: {file: u.yml}',
        '        - include_role: {name: mail}',
      ].join('\n'),
      [
        '/opt/a/v.yml',
        '/opt/a/roles/web/tasks/main.yml',
        '/opt/a/roles/db/tasks/main.yml',
        '/opt/a/t.yml',
        '/opt/a/u.yml',
        '/opt/a/roles/mail/tasks/main.yml',
      ],
    ],
    ['nothing in another text', '/opt/x.txt', 'services: none of a stack\n', []],
  ])('%s', (_what, path, text, expected) => {
    expect(paths(path, text)).toEqual(expected);
  });

  it('by whom, in the same place, and for what', () => {
    expect(named('/opt/x.sh', '#!/bin/sh\n. /opt/lib.sh\n', { in: 'lxc/101' }).files).toEqual([
      { path: '/opt/lib.sh', use: 'runs it, as /opt/x.sh says', in: 'lxc/101' },
    ]);
  });
});

describe('what cannot be followed is told', () => {
  it.each([
    [
      'a name that is filled in later',
      '/opt/x/compose.yaml',
      'services: {a: {env_file: "$X/a.env"}}',
      '$X/a.env',
    ],
    [
      'an address',
      '/opt/x/compose.yaml',
      'include: ["https://x.example/a.yaml"]',
      'https://x.example/a.yaml',
    ],
    ['a script from wherever a script stands', '/opt/x.sh', '#!/bin/sh\n. ./lib.sh\n', './lib.sh'],
    ['a script whose name is computed', '/opt/x.sh', '#!/bin/sh\nbash "$1"\n', 'bash "$1"'],
  ])('%s', (_what, path, text, expected) => {
    expect(named(path, text)).toEqual({ files: [], unseen: [expected] });
  });

  it('what a document names that cannot be evaluated, and the others all the same', () => {
    const uses = (count: number) => Array.from({ length: count }, () => '*e').join(', ');
    const stack = (count: number) =>
      `x: &e {a: b}\ninclude: [a.yaml]\nservices: {web: {labels: [${uses(count)}]}}\n`;
    expect(paths('/opt/x/compose.yaml', stack(900))).toEqual(['/opt/x/a.yaml']);
    expect(named('/opt/x/compose.yaml', `${stack(1100)}---\ninclude: [b.yaml]\n`)).toMatchObject({
      files: [{ path: '/opt/x/b.yaml' }],
      unseen: ['what /opt/x/compose.yaml names'],
    });
    expect(named('/opt/a/site.yml', '- roles: *nowhere\n').unseen).toEqual([
      'what /opt/a/site.yml names',
    ]);
  });

  it('beyond sixteen files', () => {
    const text = Array.from({ length: 20 }, (_, i) => `. /opt/${i}.sh`).join('\n');
    const { files, unseen } = named('/opt/x.sh', `#!/bin/sh\n${text}\n`);
    expect(files).toHaveLength(16);
    expect(unseen).toEqual(['/opt/16.sh', '/opt/17.sh', '/opt/18.sh', '/opt/19.sh']);
  });
});

// With a form that looks for the last blank anew from each one this takes half a minute.
it('reads a unit of blanks', { timeout: 10_000 }, () => {
  const text = `[Service]\nDescription=a${' '.repeat(200_000)}b\nExecStart=/opt/a\n`;
  expect(paths('/a.service', text)).toEqual(['/opt/a', '/a.service.d']);
});

it('reads any text without throwing', () => {
  const odd = [
    'services: *a',
    'services: [',
    '- roles: {',
    '[Service]\nExecStart=',
    '\u0000',
    '#!/bin/sh\n$((',
  ];
  for (const text of odd) {
    for (const path of ['/a.yaml', '/a.service', '/a.sh', '/a'])
      expect(named(path, text)).toBeDefined();
  }
});
