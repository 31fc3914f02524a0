import { describe, expect, it } from 'vitest';
import { acceptsKey, compareCommand, readHostKey } from './host-key.ts';

/** The blob of github.com's published ed25519 key, and the fingerprint that it publishes. */
const BLOB = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
const KEY = {
  type: 'ssh-ed25519',
  fingerprint: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
};

describe('a host key', () => {
  it('is read from the bytes that the host sends', () => {
    expect(readHostKey(Buffer.from(BLOB, 'base64'))).toEqual(KEY);
    expect(readHostKey(Buffer.from([1]))).toMatchObject({ type: '' });
  });

  it.each([
    ['ssh-ed25519', 'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub'],
    ['ecdsa-sha2-nistp256', 'ssh-keygen -lf /etc/ssh/ssh_host_ecdsa_key.pub'],
    ['ssh-rsa', 'ssh-keygen -lf /etc/ssh/ssh_host_rsa_key.pub'],
  ])('of type %s is compared by %s', (type, command) => {
    expect(compareCommand({ ...KEY, type })).toBe(command);
  });

  it.each([
    ['yes', true],
    ['Y', true],
    [KEY.fingerprint, true],
    ['', false],
    ['no', false],
    ['SHA256:other', false],
    ['yes please', false],
  ])('is accepted by %j: %s', (answer, accepted) => {
    expect(acceptsKey(answer, KEY)).toBe(accepted);
  });
});
