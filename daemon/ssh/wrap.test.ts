import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellQuote, wrapCommand } from './wrap.ts';

const host = { kind: 'host', slug: 'host:strong', name: 'strong' } as const;
const caddy = {
  kind: 'lxc',
  slug: 'lxc:caddy',
  name: 'caddy',
  host: 'host:strong',
  vmid: 135,
} as const;
const env =
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 PAGER=cat GIT_PAGER=cat SYSTEMD_PAGER= GIT_OPTIONAL_LOCKS=0';

function lineOf(options: Parameters<typeof wrapCommand>[0]): string {
  const wrapped = wrapCommand(options);
  if (!wrapped.ok) throw new Error(wrapped.reason);
  return wrapped.line;
}

describe('shellQuote', () => {
  it('keeps any text through a shell', () => {
    const text = fc.string({ unit: 'binary' }).filter((word) => !word.includes('\0'));
    fc.assert(
      fc.property(text, (word) => {
        const out = execFileSync('/bin/sh', ['-s'], { input: `printf %s ${shellQuote(word)}\n` });
        expect(out.toString('utf8')).toBe(Buffer.from(word, 'utf8').toString('utf8'));
      }),
      { numRuns: 60 },
    );
  });
});

describe('wrapCommand', () => {
  it('runs a host command in a clean environment and the judged shell', () => {
    expect(
      lineOf({ target: host, dialect: 'bash', command: "echo 'a b'", keepEnvOption: true }),
    ).toBe(
      `/usr/bin/env -i HOME="$HOME" ${env} /bin/bash --noprofile --norc -c 'echo '\\''a b'\\'''`,
    );
    expect(lineOf({ target: host, dialect: 'posix', command: 'df', keepEnvOption: true })).toBe(
      `/usr/bin/env -i HOME="$HOME" ${env} /bin/sh -c 'df'`,
    );
  });

  it.each([
    ['with', true, 'pct exec 135 --keep-env 0 --'],
    ['without', false, 'pct exec 135 --'],
  ])(
    'enters a container %s --keep-env, its environment clean on both sides',
    (_claim, option, pct) => {
      expect(lineOf({ target: caddy, dialect: 'bash', command: 'df', keepEnvOption: option })).toBe(
        `/usr/bin/env -i HOME="$HOME" ${env} ${pct} /usr/bin/env -i HOME=/root ${env} /bin/bash --noprofile --norc -c 'df'`,
      );
    },
  );

  it.each([
    ['a NUL byte', 'a\0b', /NUL/],
    ['more than one argument may hold', 'x'.repeat(131_072), /128 KiB/],
  ])('refuses %s', (_claim, command, reason) => {
    const wrapped = wrapCommand({ target: host, dialect: 'bash', command, keepEnvOption: true });
    expect(wrapped).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it('has no way into a VM', () => {
    const target = { ...caddy, kind: 'vm', slug: 'vm:ha' } as const;
    expect(wrapCommand({ target, dialect: 'bash', command: 'df', keepEnvOption: true }).ok).toBe(
      false,
    );
  });
});
