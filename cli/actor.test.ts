import { expect, it } from 'vitest';
import { cliActor } from './actor.ts';

it('names the user of the machine', () => {
  expect(cliActor(() => 'ada')).toBe('cli:ada');
});

it('gives the number of a user that the machine does not list', () => {
  const unlisted = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(cliActor(unlisted)).toBe(`cli:${process.getuid?.()}`);
});
