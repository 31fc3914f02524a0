import { describe, expect, it } from 'vitest';
import { classify } from '../gate/classify.ts';
import { BASH_FACTS } from '../gate/facts.ts';
import { createdGuests, withoutExemptAccess } from './access-exemption.ts';
import { MAX_GATE_PARTS } from './gate-result.ts';

const lab = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
const app = { kind: 'lxc', slug: 'lxc:app', name: 'app', host: 'host:lab', vmid: 140 } as const;
const made = ['lxc/140@host:lab'];
const flagsOf = (command: string, target: typeof lab | typeof app, created = made) => {
  const gate = classify({ command, facts: { ...BASH_FACTS, targetKind: target.kind } });
  expect(gate.flags).toContain('access');
  return withoutExemptAccess(gate, target, created).flags;
};

describe('access inside a container that the task created is exempt for', () => {
  it.each([
    'systemctl enable nginx',
    'tee /etc/systemd/system/app.service',
    'systemctl enable nginx && tee /etc/systemd/system/app.service.d/x.conf',
    'tee /etc/apt/sources.list.d/docker.list',
    'cp docker.asc /etc/apt/keyrings/docker.asc',
    'apt-key add x.asc',
    'cp x.gpg /usr/share/keyrings/x.gpg',
  ])('%s', (command) => {
    expect(flagsOf(command, app)).not.toContain('access');
    expect(flagsOf(`pct exec 140 -- ${command.split(' && ')[0]}`, lab)).not.toContain('access');
  });
});

describe('access stays access', () => {
  it.each([
    ['another container', 'pct exec 141 -- systemctl enable nginx'],
    ['the host itself', 'systemctl enable nginx'],
    ['the host beside the container', 'pct exec 140 -- systemctl enable a && systemctl enable b'],
    ['two containers', 'pct exec 140 -- systemctl enable a; pct exec 141 -- systemctl enable b'],
    ['a file of the host', 'pct exec 140 -- cat x > /etc/systemd/system/x.service'],
    ['its files seen from the host', 'tee /var/lib/lxc/140/rootfs/etc/systemd/system/x.service'],
    ['a container of that name', 'docker exec 140 systemctl enable x'],
    ['a machine of that name', 'ssh 140 systemctl enable x'],
    ['a machine of that id', 'qm guest exec 140 -- systemctl enable x'],
    ['what runs further in', 'pct exec 140 -- docker exec web systemctl enable x'],
    ['accounts', 'pct exec 140 -- useradd bob'],
    ['keys to log in', 'pct exec 140 -- tee /root/.ssh/authorized_keys'],
    ['a unit and an account', 'pct exec 140 -- systemctl enable a && pct exec 140 -- useradd bob'],
    ['a unit and sudoers', 'pct exec 140 -- tee /etc/systemd/system/x.service /etc/sudoers.d/x'],
    ['a unit and sudoers in one word', `pct exec 140 -- foo '/etc/systemd/system/x /etc/sudoers'`],
    ['a certificate authority', 'pct exec 140 -- update-ca-certificates'],
    ['cron', 'pct exec 140 -- tee /etc/cron.d/x'],
    ['a mounted root', 'pct exec 140 -- tee /mnt/etc/systemd/system/x.service'],
    ['hooks of apt', 'pct exec 140 -- tee /etc/apt/apt.conf.d/99x'],
    ['the way in', 'pct exec 140 -- systemctl start sshd'],
    ['options of the container', 'pct set 140 -features nesting=1,fuse=1 -mp0 /,mp=/host'],
  ])('of %s', (_claim, command) => {
    expect(flagsOf(command, lab)).toContain('access');
  });

  it('in a container that the task did not create, or on another host', () => {
    const unit = 'pct exec 140 -- systemctl enable nginx';
    expect(flagsOf(unit, lab, [])).toContain('access');
    expect(flagsOf(unit, app)).toContain('access');
    expect(flagsOf(unit, lab, ['lxc/140@host:attic'])).toContain('access');
    expect(flagsOf('systemctl enable nginx', app, ['lxc/141@host:lab'])).toContain('access');
  });

  it('where a part may be missing from the result', () => {
    const gate = classify({ command: 'systemctl enable nginx', facts: BASH_FACTS });
    const part = gate.parts.find(({ access }) => access);
    expect(withoutExemptAccess(gate, app, made).flags).not.toContain('access');
    const parts = Array.from({ length: MAX_GATE_PARTS }, () => part).flatMap((one) => one ?? []);
    expect(withoutExemptAccess({ ...gate, parts }, app, made).flags).toContain('access');
  });

  it('where no part says what it gives', () => {
    const gate = classify({ command: 'systemctl enable nginx', facts: BASH_FACTS });
    expect(withoutExemptAccess({ ...gate, parts: [] }, app, made).flags).toContain('access');
  });

  it('takes no other flag away', () => {
    const command = 'curl -o /etc/apt/keyrings/x.asc https://example.org/x.asc';
    expect(flagsOf(command, app)).toContain('egress');
  });
});

describe('createdGuests', () => {
  const ran = (line: string, targetKind: 'host' | 'lxc' = 'host') => ({
    host: 'host:lab',
    targetKind,
    argv: line.split(' '),
  });
  it.each([
    [[ran('pct create 140 local:vztmpl/debian.tar.zst')], made],
    [[ran('pct clone 101 140 --full')], made],
    [[ran('pct create 140 x'), ran('pct destroy 140')], []],
    [[ran('pct destroy 140'), ran('pct create 140 x')], made],
    [[ran('pct cre 140 x')], []],
    [[ran('pct create --hostname x')], []],
    [[ran('pct restore 140 x')], []],
    [[ran('pct start 140')], []],
    [[ran('pct create 140 x', 'lxc')], []],
    [[ran('echo pct create 140')], []],
    [[{ ...ran(''), argv: undefined }], []],
  ])('%j', (completed, guests) => {
    expect(createdGuests(completed)).toEqual(guests);
  });
});
