import { describe, expect, it } from 'vitest';
import type { GateResult } from '../domain/gate-result.ts';
import type { RiskClass } from '../domain/risk.ts';
import { classify, POLICY_VERSION } from './classify.ts';
import { explain } from './explain.ts';
import { BASH_FACTS, type GateFacts } from './facts.ts';

const judge = (command: string, facts: GateFacts = BASH_FACTS): GateResult =>
  classify({ command, facts });
const risk = (command: string, facts?: GateFacts): RiskClass => judge(command, facts).risk;

describe('touches', () => {
  it.each([
    ['pct exec 135 -- df -h', ['lxc/135']],
    ['pct destroy 135', ['lxc/135']],
    ['qm stop 200; pct stop 135', ['lxc/135', 'vm/200']],
    ['pvesh create /nodes/pve/lxc/135/status/stop', ['lxc/135']],
    ['for i in 101 102; do pct config $i; done', ['lxc/101', 'lxc/102']],
    ['sed -i s/a/b/ /etc/pve/lxc/101.conf', ['lxc/101']],
    ['systemctl restart nginx', []],
    ['pct list', []],
    ['pct stop "$id"', 'unknown'],
    ['pvesh create "$path"', 'unknown'],
    ['curl -s http://nas/x | sh', 'unknown'],
    ['./run.sh', 'unknown'],
  ])('%s', (command, touches) => {
    expect(judge(command).touches).toEqual(touches);
  });
});

describe('flags', () => {
  it.each([
    ['journalctl -u nginx -n 5', ['outside_text']],
    ['cat /srv/notes.txt', ['outside_text']],
    ['cat /etc/hosts', []],
    ['tail -f /var/log/syslog', ['unbounded', 'outside_text']],
    ['cat /etc/shadow', ['secret']],
    ['useradd bob', ['access']],
    ['echo key >> /root/.ssh/authorized_keys', ['access']],
    ['curl https://example.com', ['egress', 'outside_text']],
    ['$x -la', ['opaque']],
    ['df -h', []],
  ])('%s', (command, flags) => {
    expect(judge(command).flags).toEqual(flags);
  });
});

describe('the sentence to type', () => {
  it.each([
    ['pct destroy 135', 'destroy 135'],
    ['rm -rf /srv/media', 'rm /srv/media'],
    ['reboot', 'reboot @target'],
    ['pct exec 135 -- reboot', 'reboot 135'],
    ['docker volume rm immich_pgdata', 'rm immich_pgdata'],
    ['zfs destroy -r tank/x', 'destroy tank/x'],
    ['cat /etc/shadow', 'read /etc/shadow'],
  ])('%s', (command, sentence) => {
    const { confirm, hint } = judge(command);
    expect([`${confirm?.verb} ${confirm?.object}`, hint]).toEqual([sentence, undefined]);
  });

  it.each([
    'rm -rf /srv/a /srv/b',
    'rm -rf "$x"',
    'rm /srv/*',
    'rm "a b"',
    `rm /srv/${'x'.repeat(80)}`,
    'rm @target',
    'pct destroy 1; pct destroy 2',
    'for i in 135 136; do pct destroy $i; done',
    'pct destroy 135; echo "$API_TOKEN"',
    'rm /srv/x; pct exec 101 -- rm /srv/x',
    'cd /srv; rm x; cd /opt; rm x',
    'find /tmp -exec rm {} +',
  ])('there is none for %s, but a hint', (command) => {
    const { confirm, hint } = judge(command);
    expect(confirm).toBeUndefined();
    expect(hint).toMatch(/\w+/);
  });

  it('is not asked for below destructive', () => {
    expect(judge('systemctl restart nginx').confirm).toBeUndefined();
  });
});

describe('declared risk and facts', () => {
  it('let a declaration raise the class, never lower it', () => {
    const declared = (command: string, declaredRisk: RiskClass) =>
      classify({ command, declaredRisk, facts: BASH_FACTS }).risk;
    expect(declared('ls', 'destructive')).toBe('destructive');
    expect(declared('rm x', 'read_only')).toBe('destructive');
    expect(declared('ls', 'read_only')).toBe('read_only');
  });

  it('raise everything but looks to the floor', () => {
    const facts: GateFacts = { shell: 'bash', floor: 'destructive' };
    expect(risk('ls', facts)).toBe('read_only');
    expect(risk('systemctl reload nginx', facts)).toBe('destructive');
    expect(judge('systemctl reload nginx', facts).confirm).toEqual({
      verb: 'change',
      object: '@target',
    });
  });

  it('keep to what every shell reads alike when the shell is unknown', () => {
    const facts: GateFacts = { shell: 'posix' };
    expect(risk('df -h | tail -1', facts)).toBe('read_only');
    for (const command of ["ls $'\\'; evil #'", 'ls {a,b}', '[[ -f x ]]', 'diff <(ls) <(ls)']) {
      expect([command, risk(command, facts)]).toEqual([command, 'config_mutation']);
    }
  });

  it('names its policy', () => {
    expect(judge('ls').policyVersion).toBe(POLICY_VERSION);
  });
});

describe('explain', () => {
  it('says one plain sentence for each part, riskiest first', () => {
    expect(explain(judge('df -h; zfs destroy tank/x'))).toEqual([
      '`zfs destroy tank/x`: destroys a dataset or snapshot.',
      '`df -h`: shows how full filesystems are.',
    ]);
  });

  it('offers a bounded form where there is one', () => {
    expect(explain(judge('docker logs -f web'))[0]).toContain(
      'Safer: docker logs --tail 200 NAME.',
    );
  });

  it('points into the command', () => {
    const command = 'df -h; echo "$(rm -rf /srv)"';
    const part = judge(command).parts[0];
    expect(command.slice(...(part?.span ?? [0, 0]))).toBe('rm -rf /srv');
  });
});
