import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { fingerprintOf, soundPair } from './keys.ts';

it('prints a fingerprint as ssh-keygen -l does', () => {
  const line =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl github.com';
  expect(fingerprintOf(line)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
});

it('passes over a pair that cannot sign', () => {
  const [good, other] = [
    ssh2.utils.generateKeyPairSync('ed25519'),
    ssh2.utils.generateKeyPairSync('ed25519'),
  ];
  const offered = [
    { private: good.private, public: other.public },
    { private: good.private.replace(/[A-Za-z]{40}\n/, '\n'), public: good.public },
    good,
  ];
  const pair = soundPair(() => offered.shift() ?? ssh2.utils.generateKeyPairSync('ed25519'));
  expect([good.public, other.public]).toContain(pair.public);
  const many = Array.from({ length: 800 }, () =>
    soundPair(() => ssh2.utils.generateKeyPairSync('ed25519')),
  );
  const readable = many.filter((made) => !(ssh2.utils.parseKey(made.private) instanceof Error));
  expect(readable).toHaveLength(800);
});
