import { describe, expect, it } from 'vitest';
import { describeBadKey, describeFailure, fingerprint, judgeHostKey } from './hosts.ts';

const pinned = `SHA256:${'A'.repeat(43)}`;

describe('judgeHostKey', () => {
  it('accepts the pinned key only', () => {
    const host = { slug: 'host:strong', hostKey: pinned };
    expect(judgeHostKey(host, pinned)).toBeUndefined();
    expect(judgeHostKey(host, `SHA256:${'B'.repeat(43)}`)).toMatchObject({ kind: 'changed_key' });
  });

  it('never learns a key: a host without a pin is refused, its key shown', () => {
    const trouble = judgeHostKey({ slug: 'host:strong', hostKey: undefined }, pinned);
    expect(trouble).toMatchObject({
      kind: 'unknown_key',
      sentence: expect.stringContaining(pinned),
    });
  });
});

it('prints fingerprints as ssh-keygen does', () => {
  expect(fingerprint(Buffer.from('x'))).toBe('SHA256:LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE');
});

it.each([
  ['Encrypted private OpenSSH key detected, but no passphrase given', /key_passphrase_file/],
  ['OpenSSH key integrity check failed -- bad passphrase?', /^the passphrase is wrong$/],
  ['Unsupported key format', /^Unsupported key format$/],
])('says in the words of fleet.yaml: %s', (message, words) => {
  expect(describeBadKey(message)).toMatch(words);
});

describe('describeFailure', () => {
  it.each([
    ['a refused login', { level: 'client-authentication' }, 'refused_login'],
    ['a handshake that never ends', { level: 'client-timeout' }, 'timeout'],
    ['a closed port', { code: 'ECONNREFUSED' }, 'unreachable'],
    ['an unknown name', { code: 'ENOTFOUND' }, 'unreachable'],
    ['anything else', {}, 'unreachable'],
  ])('has one sentence for %s', (_claim, fields, kind) => {
    const trouble = describeFailure('host:strong', Object.assign(new Error('raw'), fields));
    expect(trouble.kind).toBe(kind);
    expect(trouble.sentence).toContain('host:strong');
  });
});
