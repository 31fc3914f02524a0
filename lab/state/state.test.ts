import { describe, expect, it } from 'vitest';
import { supervisorScript } from '../../daemon/ssh/supervise.ts';
import { wrapCommand } from '../../daemon/ssh/wrap.ts';
import type { Target } from '../../shared/domain/target.ts';
import { answerFromState } from './answer.ts';
import { newHouse } from './house.ts';
import { isWholeScript, readSupervised } from './wire.ts';
import { simpleWords } from './words.ts';

const HOST: Target = { kind: 'host', slug: 'host:lab', name: 'lab' };
const WEB: Target = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 };

function scriptOf(target: Target, command: string): string {
  const wrapped = wrapCommand({ target, dialect: 'bash', command, keepEnvOption: true });
  if (!wrapped.ok) throw new Error(wrapped.reason);
  return supervisorScript({
    nonce: 'n0',
    line: wrapped.line,
    needs: ['setsid'],
    endWithConnection: true,
    lingerSeconds: 8,
  });
}

describe('the script of the real daemon', () => {
  it.each([
    ['a host', HOST, undefined],
    ['a container', WEB, 101],
  ])('is read for %s without running it', (_claim, target, vmid) => {
    const command = 'df -h; echo \'it is\' "$HOME" `id` &\npid=$!\n';
    const script = scriptOf(target, command);
    expect(isWholeScript(script)).toBe(true);
    expect(isWholeScript(script.slice(0, -1))).toBe(false);
    expect(readSupervised(script)).toEqual({ nonce: 'n0', vmid, command });
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
