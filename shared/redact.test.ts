import { describe, expect, it } from 'vitest';
import { createRedactor, REDACTION_RULES } from './redact.ts';

const redact = createRedactor([]);
const a = (count: number): string => 'aB3'.repeat(count).slice(0, count);

describe('what looks like a secret', () => {
  it.each([
    ['aws-key', 'AKIAABCDEFGHIJKLMNOP', '[redacted:aws-key]'],
    ['github', `ghp_${a(36)}`, '[redacted:github]'],
    ['gitlab', `glpat-${a(20)}`, '[redacted:gitlab]'],
    ['model-key', `sk-proj-${a(40)}`, '[redacted:model-key]'],
    ['stripe', `sk_live_${a(24)}`, '[redacted:stripe]'],
    ['slack', `xoxb-${a(20)}`, '[redacted:slack]'],
    ['hugging-face', `hf_${a(34)}`, '[redacted:hugging-face]'],
    ['npm', `npm_${a(36)}`, '[redacted:npm]'],
    ['google', `AIza${a(35)}`, '[redacted:google]'],
    ['sendgrid', `SG.${a(22)}.${a(43)}`, '[redacted:sendgrid]'],
    ['tailscale', `tskey-auth-${a(20)}`, '[redacted:tailscale]'],
    ['age', `AGE-SECRET-KEY-1${'Q'.repeat(58)}`, '[redacted:age]'],
    ['matrix', `syt_${a(20)}`, '[redacted:matrix]'],
    ['telegram', `123456789:AA${a(33)}`, '[redacted:telegram]'],
    ['jwt', `eyJ${a(20)}.eyJ${a(20)}.${a(40)}`, '[redacted:jwt]'],
    [
      'proxmox-token',
      'PVEAPIToken=root@pam!mon=12345678-1234-1234-1234-123456789abc',
      'PVEAPIToken=root@pam!mon=[redacted:proxmox-token]',
    ],
    ['proxmox-cookie', 'PVEAuthCookie=PVE:root', 'PVEAuthCookie=[redacted:proxmox-cookie]'],
    ['password-hash', 'root:$6$salt$abcdefgh:1', 'root:[redacted:password-hash]:1'],
    [
      'authorization',
      'Authorization: Basic dXNlcjpwYXNz',
      'Authorization: Basic [redacted:authorization]',
    ],
    ['wireguard', `PrivateKey = ${a(43)}=`, 'PrivateKey = [redacted:wireguard]'],
    ['url-password', 'postgres://oikos:pa55@db/x', 'postgres://oikos:[redacted:url-password]@db/x'],
    ['assignment', 'DB_PASSWORD=pa55word', 'DB_PASSWORD=[redacted:assignment]'],
    ['user-option', 'curl -u admin:pa55 http://x', 'curl -u admin:[redacted:user-option] http://x'],
    ['sshpass', "sshpass -p 'pa55' ssh x", 'sshpass -p [redacted:sshpass] ssh x'],
    ['database-option', 'mysql -u root -ppa55 x', 'mysql -u root -p[redacted:database-option] x'],
  ])('%s is taken out', (name, text, redacted) => {
    expect(redact(text)).toBe(redacted);
    expect(REDACTION_RULES.some((rule) => rule.name === name)).toBe(true);
  });

  it('takes out a private key with all its lines, and one that was cut short', () => {
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${`${a(70)}\n`.repeat(5000)}`;
    const end = '-----END OPENSSH PRIVATE KEY-----';
    expect(redact(`before\n${key}${end}\nafter`)).toBe('before\n[redacted:private-key]\nafter');
    expect(redact(`before\n${key}`)).toBe('before\n[redacted:private-key]');
  });

  it.each([
    'password: null',
    'password=$DB_PASSWORD',
    'token: <your token>',
    'secret = true',
    'PasswordAuthentication no',
    'the token expired at 12:03',
    'nginx.service: Main process exited, code=exited, status=1/FAILURE',
    '/dev/sda1 50G 34G 14G 71% /',
    'http://lab:8006/api2/json',
    'commit 5f2c1e0b7a9d4c3e8f6a1b2c3d4e5f6a7b8c9d0e',
  ])('leaves %s alone', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('secrets that Oikos knows', () => {
  const known = createRedactor(['corr3ct/horse+"x"', 'abc']);

  it.each([
    ['as they are', 'corr3ct/horse+"x"'],
    ['in a URL', encodeURIComponent('corr3ct/horse+"x"')],
    ['in JSON', JSON.stringify('corr3ct/horse+"x"').slice(1, -1)],
  ])('are taken out %s', (_how, form) => {
    expect(known(`<${form}>`)).toBe('<[redacted:known-secret]>');
  });

  it.each(['', 'u', 'us', 'user:'])('are taken out of base64 after %j', (before) => {
    const encoded = Buffer.from(`${before}corr3ct/horse+"x" and more`).toString('base64');
    expect(known(encoded)).toContain('[redacted:known-secret]');
    expect(known(encoded)).not.toContain(encoded.slice(8, 20));
  });

  it('are not looked for when they are too short to be one', () => {
    expect(known('abc')).toBe('abc');
  });

  it('are found across the border of two pieces', () => {
    const text = `${'x'.repeat(256 * 1024 - 8)}corr3ct/horse+"x"`;
    expect(known(text)).toMatch(/x\[redacted:known-secret\]$/);
  });
});

describe('hostile input', () => {
  it('meets no rule with an unbounded quantifier', () => {
    for (const { name, pattern } of REDACTION_RULES) {
      const bare = pattern.source.replace(/\\./g, 'E').replace(/\[[^\]]*\]/g, 'C');
      expect(bare, name).not.toMatch(/[*+]|\{\d+,\}/);
      expect(pattern.flags, name).toContain('g');
    }
  });

  it.each(['a', 'a.', 'password', 'token="', 'eyJaaaaaaaaaaaa.', 'x:$6$', ' -u a', 'a:', '\n'])(
    'of one megabyte of %j comes back whole',
    (unit) => {
      const text = unit.repeat(Math.ceil((1024 * 1024) / unit.length));
      expect(redact(text).length).toBeGreaterThan(0);
    },
  );

  it('keeps every line of a long text that holds no secret', () => {
    const text = 'a line of a log\n'.repeat(70_000);
    expect(redact(text)).toBe(text);
  });
});
