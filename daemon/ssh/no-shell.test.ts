import { expect, it } from 'vitest';
import { whyNoShell } from './no-shell.ts';

it.each([
  ['', 'the connection broke before the start'],
  ['Welcome\nbash: setlocale: no\n', 'the host said: bash: setlocale: no'],
  [
    'sudo: a password is required\n',
    'sudo there wants a password, which Oikos has not: allow the user NOPASSWD (sudo: a password is required)',
  ],
  [
    'sudo: a terminal is required to read the password; either use the -S option\n',
    'sudo there wants a password, which Oikos has not: allow the user NOPASSWD (sudo: a terminal is required to read the password; either use the -S option)',
  ],
  ['sudo: command not found', 'the host said: sudo: command not found'],
])('%j', (complaint, why) => {
  expect(whyNoShell(complaint)).toBe(why);
});
