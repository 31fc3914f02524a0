import { expect, it } from 'vitest';
import { sshdConfig } from './sshd-config.ts';

const config = (version: string, obeysSignals = true) =>
  sshdConfig({ port: 20022, folder: '/mnt/control', version, obeysSignals });

it('listens on the loopback only and takes keys only', () => {
  const lines = config('OpenSSH_9.2p1 Debian-2').split('\n');
  expect(lines).toContain('ListenAddress 127.0.0.1');
  expect(lines).toContain('PasswordAuthentication no');
  expect(lines).toContain('KbdInteractiveAuthentication no');
  expect(lines).toContain('UsePAM no');
  expect(lines).toContain('MaxSessions 10');
});

it('forces a command only where signals are to be refused', () => {
  expect(config('OpenSSH_9.2p1')).not.toContain('ForceCommand');
  expect(config('OpenSSH_9.2p1', false)).toContain('ForceCommand forced\n');
});

it.each([
  ['OpenSSH_9.2p1 Debian-2+deb12u5', false],
  ['OpenSSH_9.8p1', true],
  ['OpenSSH_10.0p2 Debian-7', true],
  ['unknown option -- V', false],
])('turns penalties off only where sshd knows the word (%s)', (version, known) => {
  expect(config(version).includes('PerSourcePenalties no')).toBe(known);
});
