import { describe, expect, it } from 'vitest';
import { labForTests, sshdOf } from '../support/lab.ts';
import { proposing } from '../support/proposing.ts';

const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:box', vmid: 101 } as const;

const lab = labForTests('content-guests');

async function setup() {
  const sshd = sshdOf(lab());
  return proposing({ sshd, guests: [web] });
}

/** Runs a script of the test inside the container. */
async function inside(script: string): Promise<string> {
  const { stdout } = await lab().run(`pct exec 101 -- sh -c '${script}'`);
  return stdout;
}

const TARGETS = [
  ['with the guest as target', 'lxc:web', (command: string) => command],
  ['from its host', 'host:box', (command: string) => `pct exec 101 -- ${command}`],
] as const;

describe.each(TARGETS)('in a guest, %s', (_claim, target, written) => {
  it('a script is read inside it, and refused when it changed', async () => {
    const { ask, yes, run, home } = await setup();
    await inside('echo echo fine > /root/x.sh');
    const first = await yes(await ask(written('sh /root/x.sh'), target));
    expect((await home.row(first)).facts?.files[0]?.found?.head).toBe('echo fine\n');
    expect(await run(first)).toMatchObject({ status: 'completed' });
    expect(await home.output(first, 'stdout')).toBe('fine\n');

    const second = await yes(await ask(written('sh /root/x.sh'), target));
    await inside('echo echo evil > /root/x.sh');
    expect(await run(second)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/x\.sh has other text/),
    });
  });

  it('a file that leads to a secret is not shown', async () => {
    const { ask, run, home } = await setup();
    await inside('mkdir -p /srv; echo hello > /srv/notes; rm -f /srv/x; ln -s notes /srv/x');
    const read = async () => {
      const answer = await ask(written('cat /srv/x'), target);
      if (answer.kind !== 'started') throw new Error(answer.kind);
      return run(answer.execution.id);
    };
    const shown = await read();
    expect(await home.output(shown.id, 'stdout')).toBe('hello\n');
    await inside('rm /srv/x; ln -s /etc/shadow /srv/x');
    expect(await read()).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/\/srv\/x leads to \/etc\/shadow/),
    });
  });
});

it('a guest that does not run ends the proposal in words', async () => {
  const { ask } = await setup();
  expect(await ask('pct exec 999 -- sh /root/x.sh')).toMatchObject({
    kind: 'refused',
    reasons: [expect.stringMatching(/x\.sh could not be looked at/)],
  });
});
