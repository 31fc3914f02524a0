import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { BASH_FACTS } from './facts.ts';

const judge = (command: string) => classify({ command, facts: BASH_FACTS });

describe('the sentence names what is lost', () => {
  it.each([
    ['docker rm -f web', 'rm web'],
    ['docker volume rm media_db', 'rm media_db'],
    ['zfs destroy -r tank/a@b', 'destroy tank/a@b'],
    ['zpool create -o ashift=12 tank mirror sda sdb', 'create tank'],
    ['lvreduce -L 5G /dev/pve/x', 'lvreduce /dev/pve/x'],
    ['mkfs.ext4 -L data /dev/sdb1', 'mkfs.ext4 /dev/sdb1'],
    ['nvme format -s 1 /dev/nvme0n1', 'format /dev/nvme0n1'],
    ['cryptsetup luksFormat --type luks2 /dev/sdb', 'format /dev/sdb'],
    ['pct destroy 110 --purge 1', 'destroy 110'],
    ['kubectl delete ns media', 'delete media'],
    ['helm uninstall web -n media', 'uninstall web'],
    ['dropdb -h db -p 5433 app', 'drop app'],
    ['redis-cli -n 2 del a', 'delete a'],
    ['git push --force origin main', 'push main'],
    ['git worktree remove --force /srv/w', 'worktree /srv/w'],
    ['shred -n 3 /srv/a', 'shred /srv/a'],
    ['rsync -a --delete -e ssh /a/ nas:/b/', 'rsync nas:/b/'],
    ["curl -X DELETE -H 'Host: x' http://a/b", 'delete http://a/b'],
    ['mv /lib /srv/lib', 'mv /lib'],
    ['docker exec web rm /x', 'rm /x'],
    ['pct exec 110 -- reboot', 'reboot 110'],
    ['kill -9 1', 'kill @target'],
    ['apt autoremove --purge', 'purge @target'],
    ['nft flush ruleset', 'flush @target'],
    ['nft delete table inet filter', 'flush filter'],
    ['qm set 100 --delete unused0', 'delete unused0'],
    ['qm set 100 --delete scsi0 --force 1', 'delete scsi0'],
    ['zpool add -f tank /dev/sdb', 'add /dev/sdb'],
    ['zpool replace tank sda sdb', 'replace sdb'],
    ['mdadm /dev/md0 --add /dev/sdc', 'add /dev/sdc'],
    ['mdadm --zero-superblock /dev/sdb', 'wipe /dev/sdb'],
    ['mdadm /dev/md0 --fail /dev/sda --remove /dev/sda', 'fail /dev/sda'],
    ['btrfs device add -f /dev/sdb /srv', 'add /dev/sdb'],
    ['pvesh create /nodes/pve/lxc/101/snapshot/x/rollback', 'rollback 101'],
    ['pvesh create /nodes/pve/stopall', 'stopall pve'],
    ['pvesh create /nodes/pve/status --command shutdown', 'shutdown pve'],
    ['pvesh create /nodes/localhost/status --command reboot', 'reboot @target'],
    ['pct delsnapshot 101 x --force', 'delsnapshot x'],
    ['rsync --remove-source-files /srv/a /srv/b', 'delete /srv/a'],
    ['7z a -sdel /tmp/a.7z /srv/x', 'delete /srv/x'],
    ['zip -m /tmp/a.zip /srv/x', 'delete /srv/x'],
    ['zstd --rm /srv/x -o /tmp/x', 'delete /srv/x'],
    ['virsh -c qemu:///system snapshot-delete vm1 s1', 'delete s1'],
    ['kubectl delete -f x.yaml', 'delete x.yaml'],
    ['curl -XDELETE --url http://a/b', 'delete http://a/b'],
    ['http -a u:p DELETE nas/x name=c X-A:b', 'delete nas/x'],
    ['cd /srv/tmp && rm -rf data', 'rm /srv/tmp/data'],
    ['cd /srv && cd tmp && sudo rm -rf ../data', 'rm /srv/data'],
    ['(cd /srv/tmp && : > x.log)', 'overwrite /srv/tmp/x.log'],
    ['cd /srv/a && find . -delete', 'find /srv/a'],
    ['rm -rf data', 'rm data'],
  ])('%s: %s', (command, sentence) => {
    const { confirm } = judge(command);
    expect(confirm && `${confirm.verb} ${confirm.object}`).toBe(sentence);
  });
});

describe('there is no sentence, but a hint, where one thing is not named', () => {
  it.each([
    'rm /srv/a /srv/b',
    'rm -rf "$x"',
    "rm '/srv/a b'",
    `rm /srv/${'a'.repeat(60)}`,
    'lvremove pve/a pve/b',
    'wipefs -a /dev/sdb /dev/sdc',
    'pct destroy --purge 1 110',
    'kubectl delete deploy web api',
    'kubectl delete pvc --all',
    'virsh vol-delete --pool a b',
    'redis-cli del a b',
    'git push -f origin main dev',
    'git branch -D a b',
    'curl -X DELETE http://a/b http://a/c',
    'curl -X DELETE "http://a/$x"',
    'mv /lib /usr /srv',
    'sed -i d /srv/a /srv/b',
    'qm set 100 --delete unused0,unused1',
    'zpool add -f tank mirror sdb sdc',
    'mdadm --create /dev/md0 -l 1 -n 2 /dev/sdb /dev/sdc',
    'mdadm --stop /dev/md0 md1',
    'wipefs -a /dev/sdb sdc',
    'pvcreate sdb sdc',
    'btrfs subvolume delete /srv/a /srv/b',
    'kubectl delete deploy/web svc/x',
    'kubectl delete ns/a pvc/b',
    'kubectl delete ns --field-selector=x=y',
    'kubectl delete -f x.yaml -f y.yaml',
    'curl -X DELETE nas/a --url=http://nas/b',
    'curl -X DELETE http://nas/a localhost',
    'curl -X DELETE http://nas/a user@nas/b',
    'curl -X DELETE http://nas/a nas',
    'curl -X DELETE http://nas/a -K /tmp/x',
    'wget --method=DELETE http://nas/a -i /tmp/x',
    '7z a -sdel /tmp/a.7z /srv/x /srv/y',
    '7z a -sdel /tmp/a.7z @list',
    'zip -m /tmp/a.zip /srv/x /srv/y',
    'zstd --rm /srv/x /srv/y',
    'rsync --remove-source-files /srv/a /srv/b /srv/c',
    'pct delsnapshot 101 --force x',
    'cd /srv/tmp; rm -rf data',
    'cd /srv/tmp || true; rm -rf data',
    'cd data && rm -rf x',
    'cd() { :; }; cd /srv && rm -rf data',
    'alias cd=true; cd /srv && rm -rf data',
  ])('%s', (command) => {
    const { risk, confirm, hint } = judge(command);
    expect({ risk, confirm }).toEqual({ risk: 'destructive', confirm: undefined });
    expect(hint).toBeDefined();
  });
});

describe('what a command reaches', () => {
  it.each<[string, readonly string[] | 'unknown']>([
    ['pct exec 110 -- ls', ['lxc/110']],
    ['pct destroy --purge 1 110', 'unknown'],
    ['pct stop "$x"', 'unknown'],
    ['qm guest exec 200 -- ls', ['vm/200']],
    ['qm guest exec --timeout 5 200 -- ls', 'unknown'],
    ['lxc-attach -n 110 -- ls', ['lxc/110']],
    ['pvesh create /nodes/pve/lxc/110/status/stop', ['lxc/110']],
    ['pvesh set /nodes/pve/qemu/200/config -memory 1', ['vm/200']],
    ['ha-manager set ct:110 --state stopped', ['lxc/110']],
    ['systemctl stop pve-container@110', ['lxc/110']],
    ['nsenter -t 1234 -m ls', 'unknown'],
    ['nsenter -t 1234 -n ss -tlnp', []],
    ['ssh nas reboot', 'unknown'],
    ['docker exec web rm /x', []],
  ])('%s', (command, touches) => {
    expect(judge(command).touches).toEqual(touches);
  });
});
