import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSshPool } from '../../daemon/ssh/pool.ts';
import { wrapCommand } from '../../daemon/ssh/wrap.ts';
import { until } from '../../lab/services/until.ts';
import { oneExecutor, world } from '../support/daemon-world.ts';
import { labForTests, sshdOf } from '../support/lab.ts';
import { proposing } from '../support/proposing.ts';

const host = { kind: 'host', slug: 'host:box', name: 'box' } as const;
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:box', vmid: 101 } as const;
const places = [
  ['on the host', host],
  ['in a guest', web],
] as const;

const lab = labForTests('dialect');

function labOptions() {
  const sshd = sshdOf(lab());
  return { sshd, guests: [web] };
}

async function setup(more: { sudo?: boolean } = {}) {
  const home = await world();
  return { home, executor: await oneExecutor(home, { ...labOptions(), ...more }) };
}

/** The text of one file inside the place, or undefined. */
async function fileIn(target: typeof host | typeof web, path: string): Promise<string> {
  const root = target.kind === 'host' ? '' : `/var/lib/lxc/${target.vmid}/rootfs`;
  return (await lab().run(`cat ${root}${path} 2>/dev/null; true`)).stdout;
}

describe('what was judged as bash runs as bash, where /bin/sh is dash', () => {
  // Each line writes "evil" in a shell that reads it otherwise than bash does.
  const lines: [string, string, string][] = [
    [
      'a quoted word of bash',
      String.raw`echo $'\'; echo evil >> /root/log #'`,
      "'; echo evil >> /root/log #\n",
    ],
    ['braces', 'echo {a,b}c', 'ac bc\n'],
    ['a double bracket', '[[ a < b ]] && echo less', 'less\n'],
    ['a process as a file', 'cat <(echo inner)', 'inner\n'],
    ['a here-string', 'cat <<< here', 'here\n'],
    ['both outputs at once', 'ls /nowhere &> /dev/null; echo $?', '2\n'],
    ['an array', `words=(one "two three"); echo "$\{words[1]}"`, 'two three\n'],
    ['arithmetic', '((2 > 1)) && echo more', 'more\n'],
    ['a replaced part', `text=aXb; echo "$\{text/X/;}"`, 'a;b\n'],
  ];
  it.each(places)(
    '%s',
    async (_where, target) => {
      const { home, executor } = await setup();
      for (const [claim, command, expected] of lines) {
        const id = await home.approve({ target, command, declaredRisk: 'config_mutation' });
        await executor.execute(id);
        expect([claim, await home.output(id, 'stdout')]).toEqual([claim, expected]);
        expect(await home.row(id)).toMatchObject({ status: 'completed', exitCode: 0 });
      }
      expect(await fileIn(target, '/root/log')).toBe('');
    },
    60_000,
  );
});

describe('what is proposed and approved starts the programs that bash would start', () => {
  // Under dash each line starts another number of them, or none.
  const lines: [string, string[]][] = [
    [String.raw`ls $'\'; /srv/evil #'`, []],
    ['[[ -n x ]] || /srv/evil', []],
    ['false &> /dev/null && /srv/evil', []],
    ['((2 > 1)) || /srv/evil', []],
    ['[ a == a ] || /srv/evil', []],
    [`test "$(echo -e x)" = x || /srv/evil`, []],
    ['/srv/good {a,b}', ['good a b']],
    ['/srv/good <(/srv/evil) > /dev/null; wait', ['evil', 'good /dev/fd/63']],
    ['/srv/good <<< "evil"', ['good']],
    [`words=(one two); /srv/good "$\{words[1]}"`, ['good two']],
  ];
  it.each(places)(
    '%s',
    async (_where, target) => {
      const into = target.kind === 'host' ? '' : `/var/lib/lxc/${target.vmid}/rootfs`;
      const log = `${into}/root/started`;
      const stub = '#!/bin/sh\\necho "$' + '{0##*/}$' + '{1:+ $*}" >> /root/started\\n';
      for (const name of ['good', 'evil']) {
        const path = `${into}/srv/${name}`;
        await lab().run(`printf '${stub}' > ${path}; chmod 755 ${path}`);
      }
      const p = await proposing(labOptions());
      // In a guest each takes three times as long: every other line.
      const tried = lines.filter((_line, at) => target.kind === 'host' || at % 2 === 0);
      for (const [command, started] of tried) {
        await lab().run(`rm -f ${log}`);
        const answer = await p.ask(command, target.slug);
        const id = answer.kind === 'started' ? answer.execution.id : await p.yes(answer);
        await p.run(id);
        const seen = (await fileIn(target, '/root/started')).split('\n').filter(Boolean);
        expect([command, seen.sort()]).toEqual([command, started]);
      }
    },
    90_000,
  );
});

describe('any text arrives as it was written', () => {
  const nasty = fc.constantFrom(
    ...'\'"\\$`!*?[]{}()<>|&;#~^=%\n\t -',
    '$(x)',
    "'\\''",
    '$HOME',
    '`id`',
    '\\\n',
    '\u001b',
    'ä',
    '😀',
    ' ',
  );
  const text = fc
    .array(fc.oneof(nasty, fc.string({ maxLength: 3 })), { maxLength: 12 })
    .map((parts) =>
      // Output is folded: what a terminal would act on is not compared here.
      parts.join('').replaceAll(/\p{Cc}/gu, (sign) => (sign === '\n' || sign === '\t' ? sign : '')),
    );
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

  it.each(places)(
    '%s',
    async (_where, target) => {
      const pool = createSshPool({
        hosts: [
          {
            slug: host.slug,
            address: '127.0.0.1',
            ...sshdOf(lab()),
            passphraseFile: undefined,
            jump: undefined,
            site: 'home',
            sudo: false,
          },
        ],
        connectMs: 5_000,
        readFile: async (path) => readFileSync(path),
      });
      const reserved = await pool.reserve(host.slug);
      if (!reserved.ok) throw new Error(reserved.trouble.sentence);
      const say = async (command: string): Promise<string> => {
        const wrapped = wrapCommand({ target, dialect: 'bash', command, keepEnvOption: true });
        if (!wrapped.ok) throw new Error(wrapped.reason);
        let said = '';
        await reserved.slot.run({
          line: wrapped.line,
          needs: [],
          limitMs: 10_000,
          killAfterMs: 1_000,
          endWithConnection: true,
          stop: new AbortController().signal,
          onOutput: (stream, piece) => {
            said += stream === 'stdout' ? piece : '';
          },
        });
        return said;
      };
      try {
        await fc.assert(
          fc.asyncProperty(text, async (word) => {
            expect(await say(`printf '%s.' ${quoted(word)} "$#"`)).toBe(`${word}.0.`);
          }),
          { numRuns: 25 },
        );
      } finally {
        reserved.slot.release();
        pool.close();
      }
    },
    60_000,
  );
});

describe('sudo', () => {
  const fake = (script: string) =>
    lab().run(
      `printf '#!/bin/sh\\n%s\\n' '${script}' > /usr/local/bin/sudo; chmod +x /usr/local/bin/sudo`,
    );

  it('that asks for a password is named, and nothing runs', async () => {
    await fake('echo "sudo: a password is required" >&2; exit 1');
    const { home, executor } = await setup({ sudo: true });
    const id = await home.approve({ command: 'touch /root/sudo-ran' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'failed',
      reason:
        'nothing was started: sudo there wants a password, which Oikos has not: allow the user NOPASSWD (sudo: a password is required)',
    });
    expect(await fileIn(host, '/root/sudo-ran')).toBe('');
  });

  it('that works is used', async () => {
    await fake('[ "$1" = -n ] && shift; BY_SUDO=1 exec "$@"');
    const { home, executor } = await setup({ sudo: true });
    const id = await home.approve({ command: "tr '\\0' '\\n' < /proc/$PPID/environ | grep SUDO" });
    await executor.execute(id);
    expect(await home.output(id, 'stdout')).toBe('BY_SUDO=1\n');
  });
});

it('a stop ends what runs in a guest, also a child that ignores TERM', async () => {
  const { home, executor } = await setup();
  const command = `sleep 4713 & (trap '' TERM; sleep 4713; sleep 4713) & wait`;
  const id = await home.approve({ target: web, command });
  const running = executor.execute(id);
  const left = async () =>
    (await lab().run("grep -al '^sleep.471[3]' /proc/[0-9]*/cmdline 2>/dev/null; true")).stdout;
  await until(async () => expect((await left()).trim().split('\n')).toHaveLength(2));
  executor.stop(id, 'cancel');
  await running;
  expect(await home.row(id)).toMatchObject({ status: 'cancelled' });
  expect(await left()).toBe('');
}, 30_000);
