import { expect, it } from 'vitest';
import { fingerprintOf } from './keys.ts';

it('prints a fingerprint as ssh-keygen -l does', () => {
  const line =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl github.com';
  expect(fingerprintOf(line)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
});
