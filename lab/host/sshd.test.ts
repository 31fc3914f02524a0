import { expect, it } from 'vitest';
import { SshServerMissing } from './errors.ts';
import { findSshd } from './sshd.ts';

it('finds sshd where it usually is', () => {
  expect(findSshd((path) => path === '/usr/local/sbin/sshd')).toBe('/usr/local/sbin/sshd');
});

it('says in one line what to install when there is none', () => {
  expect(() => findSshd(() => false)).toThrow(SshServerMissing);
  expect(() => findSshd(() => false)).toThrow(/^[^\n]*sudo apt-get install -y openssh-server$/);
});
