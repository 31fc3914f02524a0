import { describe, expect, it } from 'vitest';
import { classify } from '../shared/gate/classify.ts';
import {
  guestAddresses,
  guestWritable,
  WRITABLE_QUESTIONS,
  type WritableQuestion,
} from './guest-writable.ts';

const nothing = { guests: '', storages: '', nfs: '', samba: '', zfs: '' };

describe('folders of a host that guests may write', () => {
  const cases: [string, WritableQuestion, string, string[]][] = [
    ['a bind mount', 'guests', '/etc/pve/lxc/101.conf:mp0: /tank/media,mp=/media', ['/tank/media']],
    [
      'a raw mount entry',
      'guests',
      '/etc/pve/lxc/101.conf:lxc.mount.entry: /srv/x mnt/x none bind,create=dir 0 0',
      ['/srv/x'],
    ],
    ['a volume, by its storage', 'guests', '/etc/pve/lxc/1.conf:rootfs: zfs:subvol-1-disk-0', []],
    ['a zfs storage', 'storages', 'zfspool: fast\n\tpool fast/data\n\tsparse 1\n', ['/fast/data']],
    [
      'a zfs storage mounted elsewhere',
      'storages',
      'zfspool: fast\n\tpool fast/data\n\tmountpoint /guests\n',
      ['/guests'],
    ],
    [
      'a folder storage: its volumes alone',
      'storages',
      'dir: local\n\tpath /var/lib/vz\n\tcontent iso,backup\n\nlvmthin: x\n\tvgname pve\n',
      ['/var/lib/vz/images', '/var/lib/vz/private'],
    ],
    ['a share of another machine', 'storages', 'nfs: nas\n\tserver 10.0.0.2\n', ['/mnt/pve/nas']],
    [
      'NFS exports',
      'nfs',
      '# /no/thing *(rw)\n/srv/a \\\n  10.0.0.0/24(rw)\n"/srv/b c" *(ro)\n/srv/d\\040e *(rw)\n',
      ['/srv/a', '/srv/b c', '/srv/d e'],
    ],
    ['Samba shares', 'samba', '   path = /srv/a\npath="/srv/b"\n', ['/srv/a', '/srv/b']],
    ['a Samba share for each user', 'samba', 'path = /srv/homes/%U/x\n', ['/srv/homes']],
    [
      'datasets that ZFS shares, and guest volumes',
      'zfs',
      [
        'tank\t/tank\toff\toff',
        'tank/a\t/srv/a\trw=@10.0.0.0/24\toff',
        'tank/b\t/srv/b\toff\ton',
        'tank/subvol-9-disk-0\t/odd\toff\toff',
        'tank/c\tlegacy\ton\toff',
      ].join('\n'),
      ['/odd', '/srv/a', '/srv/b'],
    ],
    ['an export of everything, which names nothing', 'nfs', '/ *(rw)\n', []],
    ['a path with dots', 'nfs', '/srv/a/../b/ *(rw)\n', ['/srv/b']],
    ['a folder below another', 'nfs', '/srv *(rw)\n/srv/a *(rw)\n/srv2 *(rw)\n', ['/srv', '/srv2']],
  ];
  it.each(cases)('%s', (_claim, question, answer, folders) => {
    expect(guestWritable({ ...nothing, [question]: answer })).toEqual(folders);
  });
});

it('knows the fixed addresses of containers', () => {
  const answer = [
    '/etc/pve/lxc/140.conf:hostname: oikos',
    '/etc/pve/lxc/140.conf:net0: name=eth0,bridge=vmbr0,ip=10.0.0.40/24,ip6=fd00::40/64',
    '/etc/pve/lxc/141.conf:net0: name=eth0,bridge=vmbr0,ip=dhcp',
  ].join('\n');
  expect([...guestAddresses(answer)]).toEqual([
    [140, ['10.0.0.40', 'fd00::40']],
    [141, []],
  ]);
});

it.each(Object.entries(WRITABLE_QUESTIONS))(
  'asks for %s what the gate calls a look',
  (_, command) => {
    const { risk } = classify({ command, facts: { shell: 'posix', targetKind: 'host' } });
    expect(risk).toBe('read_only');
  },
);
