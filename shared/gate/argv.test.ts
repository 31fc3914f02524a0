import { describe, expect, it } from 'vitest';
import { argvText, simpleArgv } from './argv.ts';

describe('simpleArgv', () => {
  it.each([
    ['systemctl reload nginx', ['systemctl', 'reload', 'nginx']],
    ['  systemctl   reload\tnginx  ', ['systemctl', 'reload', 'nginx']],
    [`system"ctl" 'reload' ngi\\nx`, ['systemctl', 'reload', 'nginx']],
    [`echo 'a  b' "c d" ''`, ['echo', 'a  b', 'c d', '']],
    ['systemctl reload nginx # as asked', ['systemctl', 'reload', 'nginx']],
    ['systemctl reload nginx;', ['systemctl', 'reload', 'nginx']],
    ['nginx -s reload', ['nginx', '-s', 'reload']],
  ])('reads %s', (command, argv) => {
    expect(simpleArgv(command, 'bash')).toEqual(argv);
    expect(simpleArgv(command, 'posix')).toEqual(argv);
  });

  it.each([
    '',
    '""',
    'systemctl reload nginx; true',
    'systemctl reload nginx && true',
    'systemctl reload nginx | cat',
    'systemctl reload nginx &',
    '! systemctl reload nginx',
    '( systemctl reload nginx )',
    '{ systemctl reload nginx; }',
    'time systemctl reload nginx',
    'A=b systemctl reload nginx',
    'PATH=/tmp systemctl reload nginx',
    'systemctl reload nginx > /dev/null',
    'systemctl reload nginx <<< x',
    'systemctl reload $UNIT',
    'systemctl reload "$UNIT"',
    'systemctl reload ngin*',
    'systemctl reload ngin?',
    'systemctl reload {nginx,php}',
    'systemctl reload $(echo nginx)',
    'systemctl reload `echo nginx`',
    'cat ~/x',
    'cat ~root/x',
    'if true; then systemctl reload nginx; fi',
    'systemctl reload nginx\nrm -rf /',
    'systemctl reload nginx\u200b',
    'systemctl reload "nginx',
    "systemctl reload $'nginx'",
  ])('is not given for %j', (command) => {
    expect(simpleArgv(command, 'bash')).toBeUndefined();
  });
});

describe('argvText', () => {
  it.each([
    [['systemctl', 'reload', 'nginx']],
    [['echo', 'a  b', "it's", '', '$HOME', '*', '~', '#x', 'a;b', 'back\\slash', '`id`']],
  ])('reads back as the same words: %j', (argv) => {
    expect(simpleArgv(argvText(argv), 'bash')).toEqual(argv);
    expect(simpleArgv(argvText(argv), 'posix')).toEqual(argv);
  });
});
