import { expect, it } from 'vitest';
import { readGnuArguments } from './short-options.ts';

const known = {
  '-u': { name: 'unit', value: true },
  '--unit': { name: 'unit', value: true },
  '-n': { name: 'lines', value: true },
  '-x': { name: 'catalog', value: false },
  '-e': { name: 'end', value: false },
};

it.each([
  [['-xeu', 'nginx'], { catalog: [''], end: [''], unit: ['nginx'] }, []],
  [['-n20', '--unit=nginx', '-u', 'ssh'], { lines: ['20'], unit: ['nginx', 'ssh'] }, []],
  [['status', '-n', '5', 'nginx'], { lines: ['5'] }, ['status', 'nginx']],
])('reads %j', (args, options, words) => {
  const read = readGnuArguments(args, known);
  if (!read.ok) throw new Error(read.message);
  expect(Object.fromEntries(read.options)).toEqual(options);
  expect(read.words).toEqual(words);
});

it.each([
  [['--bogus'], "unrecognized option '--bogus'"],
  [['-z'], "invalid option -- 'z'"],
  [['-u'], "option '-u' requires an argument"],
])('refuses %j', (args, message) => {
  expect(readGnuArguments(args, known)).toEqual({ ok: false, message });
});
