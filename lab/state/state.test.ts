import { describe, expect, it } from 'vitest';
import { attachScript, startScript, sweepScript } from '../../daemon/runner/scripts.ts';
import { type LookAsk, lookScript, readLook, saidBy } from '../../daemon/ssh/preflight.ts';
import { supervisorScript } from '../../daemon/ssh/supervise.ts';
import { wrapCommand } from '../../daemon/ssh/wrap.ts';
import type { Target } from '../../shared/domain/target.ts';
import type { Answer } from '../proxmox/answer.ts';
import { answerFromState } from './answer.ts';
import { newHouse } from './house.ts';
import { type Channel, serve } from './serve.ts';
import { isWholeScript, readScript } from './wire.ts';
import { simpleWords } from './words.ts';

const HOST: Target = { kind: 'host', slug: 'host:lab', name: 'lab' };
const WEB: Target = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 };

const nonce = 'n0';

function lineOf(target: Target, command: string): string {
  const wrapped = wrapCommand({ target, dialect: 'bash', command, keepEnvOption: true });
  if (!wrapped.ok) throw new Error(wrapped.reason);
  return wrapped.line;
}

const ASK: LookAsk = {
  files: [{ index: 0, path: "/root/it's" }],
  globs: [{ index: 1, pattern: '/srv/*.log' }],
  reals: [{ index: 2, path: '/etc/hosts' }],
  heads: true,
};
const lookAt = (target: Target) => lineOf(target, lookScript(ASK, nonce));

/** What the daemon sends for what only reads, and for what is detached. */
function supervised(line: string, looks: readonly string[] = []): string {
  return supervisorScript({
    nonce,
    line,
    needs: ['setsid'],
    endWithConnection: true,
    lingerSeconds: 8,
    ...(looks.length > 0 && { look: { lines: looks, twice: false } }),
  });
}
function detached(line: string, looks: readonly string[] = []): string {
  const preflight = { lines: () => looks, twice: true };
  return startScript({
    nonce,
    id: 'e1',
    line,
    needs: ['setsid'],
    limitMs: 1_000,
    killAfterMs: null,
    ...(looks.length > 0 && { preflight }),
  });
}
const SCRIPTS = [
  ['supervised', supervised, undefined],
  ['detached', detached, 'e1'],
] as const;

describe.each(SCRIPTS)('the %s script of the real daemon', (_claim, scriptOf, id) => {
  it.each([
    ['a host', HOST, undefined],
    ['a container', WEB, 101],
  ])('is read for %s without running it', (_place, target, vmid) => {
    const command = 'df -h; echo \'it is\' "$HOME" `id` &\npid=$!\n';
    const script = scriptOf(lineOf(target, command), [lookAt(HOST), lookAt(WEB)]);
    expect(isWholeScript(script)).toBe(true);
    expect(isWholeScript(script.slice(0, -1))).toBe(false);
    const looks = [undefined, 101].map((one) => ({ vmid: one, command: lookScript(ASK, nonce) }));
    expect(readScript(script)).toEqual({ kind: 'run', nonce, detached: id, vmid, command, looks });
  });
});

/** A channel to a house whose containers run. */
function open(ended = new Map<string, Answer>()) {
  const told = { out: '', err: '', code: undefined as number | undefined };
  let hear: (chunk: Buffer) => void = () => undefined;
  const house = newHouse('lab', true, 1_000_000);
  const channel: Channel = {
    write: (text) => {
      told.out += text.toString();
    },
    stderr: {
      write: (text: string) => {
        told.err += text;
      },
    },
    on: (event: string, listener: (chunk: Buffer) => void) => {
      if (event === 'data') hear = listener;
    },
    exit: (code) => {
      told.code = code;
    },
    end: () => undefined,
  };
  const answer = ({ vmid, command }: { vmid: number | undefined; command: string }) =>
    answerFromState(house, vmid, command, 2_000_000);
  serve(channel, { answer, ended });
  return { told, say: (text: string) => hear(Buffer.from(text)) };
}

describe('a conversation with the daemon', () => {
  it('starts what only reads after the look at its files', () => {
    const { told, say } = open();
    say(supervised(lineOf(HOST, 'hostname'), [lookAt(HOST), lookAt(WEB)]));
    const [first, second] = [0, 1].map((place) => saidBy(place, told.out, nonce));
    const look = readLook(first ?? '', nonce, ASK);
    expect(second).toBe(first);
    expect(look.files.get(0)).toMatchObject({ state: 'absent' });
    expect(look.lists.get(1)).toMatchObject({ count: 0 });
    expect(look.reals.get(2)).toBeNull();
    expect(told.out.endsWith(`oikos ${nonce} ready\n`)).toBe(true);
    told.out = '';
    say(`go ${nonce}\n`);
    expect(told).toMatchObject({ out: `oikos ${nonce} started\nlab\n`, code: 0 });
  });

  it('tells a detached run by frames, once more to whoever comes back, and forgets it', () => {
    const ended = new Map<string, Answer>();
    const { told, say } = open(ended);
    say(detached(lineOf(WEB, 'systemctl is-active nginx')));
    say(`go ${nonce}\n`);
    const end = `oikos ${nonce} end 0 none 0 7 0\n`;
    const whole = `oikos ${nonce} started\noikos ${nonce} data o 0 7\nactive\n${end}`;
    expect(told.out).toBe(`oikos ${nonce} ready\n${whole}`);
    const again = open(ended);
    again.say(attachScript({ nonce, id: 'e1', from: { stdout: 2, stderr: 0 }, ageSeconds: 0 }));
    expect(again.told.out).toContain(`data o 2 5\ntive\n${end}`);
    again.say('clean\n');
    expect(again.told.out).toMatch(/cleaned\n$/);
    const late = open(ended);
    late.say(attachScript({ nonce, id: 'e1', from: { stdout: 0, stderr: 0 }, ageSeconds: 0 }));
    expect(late.told.out).toBe(`oikos ${nonce} absent\n`);
  });

  it('has nothing to sweep', () => {
    const { told, say } = open();
    say(sweepScript({ nonce }));
    expect(told.out).toBe(`oikos ${nonce} swept\n`);
  });
});

describe('words', () => {
  it.each([
    ['a \'b c\' d\\ e "f g"', ['a', 'b c', 'd e', 'f g']],
    ['a | b', undefined],
    ['a; b', undefined],
    ['a $(b)', undefined],
    ['a > b', undefined],
    ['a\nb', undefined],
  ])('of %j', (text, wanted) => {
    expect(simpleWords(text)).toEqual(wanted);
  });
});

describe('the pure-state lab', () => {
  const say = (command: string, vmid?: number, house = newHouse('lab', true, 1_000_000)) =>
    answerFromState(house, vmid, command, 2_000_000);

  it.each([
    ['df -h', /\/dev\/sda1 .* 20% \//],
    ['uptime', /load average/],
    ['free -h', /^Mem:/m],
    ['ps aux', /\/sbin\/init/],
    ['systemctl status cron', /Active: active \(running\)/],
    ['systemctl --failed --no-pager', /backup-mirror.service/],
    ['journalctl -u backup-mirror -n 50 --no-pager', /unplugged/],
    ['docker ps', /^CONTAINER ID/],
    ['pct list', /^135 +running +web-old/m],
    ['pvesh get /cluster/resources --type vm --output-format json', /"name":"web-old"/],
  ])('answers %s from its state', (command, wanted) => {
    expect(say(command).out).toMatch(wanted);
  });

  it.each(['cat /etc/passwd', 'df -h | head', 'ls', 'sh -c id', 'curl http://x', '$(id)'])(
    'says that it does not have %s',
    (command) => {
      expect(say(command)).toMatchObject({
        code: 127,
        err: expect.stringContaining('not in this lab'),
      });
    },
  );

  it('keeps what was changed', () => {
    const house = newHouse('lab', true, 0);
    expect(say('pct destroy 135', undefined, house).err).toContain('container is running');
    expect(say('pct stop 135', undefined, house).code).toBe(0);
    expect(say('pct destroy 135', undefined, house).code).toBe(0);
    expect(say('pct list', undefined, house).out).not.toContain('135');
    expect(say('systemctl stop nginx', 101, house).code).toBe(0);
    expect(say('systemctl is-active nginx', 101, house)).toEqual({ code: 3, out: 'inactive\n' });
  });

  it('has a host with a full disk and no containers', () => {
    const attic = newHouse('attic', false, 0);
    expect(say('df -h', undefined, attic).out).toContain('100% /srv/backup');
    expect(say('pct list', undefined, attic).out).toBe('');
  });

  it('has no way into a container that is stopped', () => {
    expect(say('df -h', 140).err).toContain('not running');
  });
});
