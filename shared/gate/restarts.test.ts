import { describe, expect, it } from 'vitest';
import { expectedRestart } from './restarts.ts';

describe('a command line that ends with a restart', () => {
  it.each([
    ['reboot', 'reboot', 'target'],
    ['/sbin/reboot -f', 'reboot', 'target'],
    ['sudo -n -u root reboot', 'reboot', 'target'],
    ['env LC_ALL=C systemctl reboot', 'reboot', 'target'],
    ['systemctl --no-wall reboot', 'reboot', 'target'],
    ['systemctl isolate reboot.target', 'reboot', 'target'],
    ['shutdown -r now', 'reboot', 'target'],
    ['shutdown -r', 'reboot', 'target'],
    ['shutdown --reboot +1 "new kernel"', 'reboot', 'target'],
    ['init 6', 'reboot', 'target'],
    ['kexec -e', 'reboot', 'target'],
    ['halt --reboot', 'reboot', 'target'],
    ['apt-get -y upgrade && reboot', 'reboot', 'target'],
    ['sync; sync; reboot; exit 0', 'reboot', 'target'],
    ['nohup sh -c "sleep 2; reboot" >/dev/null 2>&1 &', 'reboot', 'target'],
    ['(sleep 2; reboot) &', 'reboot', 'target'],
    ['{ sync; reboot; }', 'reboot', 'target'],
    ["bash -c 'sync && reboot'", 'reboot', 'target'],
    ['pct reboot 101', 'reboot', 'lxc/101'],
    ['pct set 101 --memory 1024 && pct reboot 101 --timeout 30', 'reboot', 'lxc/101'],
    ['pct exec 101 -- reboot', 'reboot', 'lxc/101'],
    ['pct exec 101 --keep-env 0 -- systemctl reboot', 'reboot', 'lxc/101'],
    ['lxc-attach -n 101 -- reboot', 'reboot', 'lxc/101'],
    ['pvesh create /nodes/pve1/lxc/101/status/reboot', 'reboot', 'lxc/101'],
    ['pvesh create /nodes/pve1/qemu/200/status/reboot', 'reboot', 'vm/200'],
    ['pvesh create /nodes/localhost/status --command reboot', 'reboot', 'target'],
    ['qm reboot 200', 'reboot', 'vm/200'],
    ['poweroff', 'off', 'target'],
    ['halt -p', 'off', 'target'],
    ['reboot --poweroff', 'off', 'target'],
    ['shutdown now', 'off', 'target'],
    ['shutdown -h +0', 'off', 'target'],
    ['systemctl poweroff', 'off', 'target'],
    ['init 0', 'off', 'target'],
    ['pct exec 101 -- poweroff', 'off', 'lxc/101'],
  ])('%s: %s of %s', (command, awaits, place) => {
    expect(expectedRestart(command, 'bash')).toMatchObject({ awaits, place });
  });

  it.each([
    'reboot',
    'sudo -nu root reboot',
    'sudo -- /usr/sbin/reboot',
    'env -i LC_ALL=C reboot',
    'command -p reboot',
    'nice -n 19 ionice -c3 reboot',
    'setsid -f reboot',
    'sync; sync; reboot; exit 0',
    'echo bye && reboot && sleep 60',
    '(sleep 2; reboot) &',
    'nohup sh -c "sleep 2; reboot" >/dev/null 2>&1 &',
    'setsid sh -c "sleep 2; reboot"',
    'pct reboot 101',
    "pct exec 101 -- sh -c 'sync; poweroff'",
  ])('is reached once it began: %s', (command) => {
    expect(expectedRestart(command, 'bash')).toMatchObject({ alone: true });
  });

  it.each([
    'apt-get -y full-upgrade && reboot',
    'apt-get -y full-upgrade; reboot; exit 0',
    'set -e; apt-get update; apt-get -y upgrade; poweroff',
    'for g in 101 102; do pct shutdown $g; done; reboot',
    'apt-get -y upgrade && sync && reboot',
    '[ -f /run/reboot-required ] && reboot',
    'sleep 60; reboot',
    'sleep 2m; poweroff',
    'wait; reboot',
    'echo start >>/root/starts; reboot',
    'X=$(apt-get -y upgrade) true; reboot',
    "sh -c 'apt-get -y upgrade && reboot'",
    "pct exec 101 -- sh -c 'apt-get -y upgrade && poweroff'",
    'pct set 101 --memory 1024 && pct reboot 101',
  ])('is perhaps never reached: %s', (command) => {
    expect(expectedRestart(command, 'bash')).toMatchObject({ alone: false });
  });
});

describe('no restart is waited for', () => {
  it.each([
    // None at all.
    'ls',
    'echo reboot',
    'last reboot',
    'systemctl status reboot.target',
    'systemctl restart nginx',
    'shutdown -c',
    'reboot --help',
    'reboot -w',
    // What ends by itself, with an exit code that says how.
    'pct stop 101',
    'pct shutdown 101',
    'pct exec 101 -- systemctl restart nginx',
    'qm reset 200',
    // Perhaps.
    'apt-get -y upgrade || reboot',
    'test -f /run/reboot-required && reboot || true',
    'if test -f /run/reboot-required; then reboot; fi',
    'for h in a b; do reboot; done',
    '! reboot',
    '$CMD',
    'reboot $FLAGS',
    'reboot | tee log',
    // Perhaps, and nothing tells it.
    '[ -f /run/reboot-required ] && reboot; true',
    '([ -f /run/reboot-required ] && reboot); exit 0',
    "sh -c '[ -f /run/reboot-required ] && reboot'; true",
    '[ -f /run/reboot-required ] && reboot &',
    '(apt-get -y upgrade; reboot) &',
    "setsid -f sh -c 'apt-get -y upgrade && reboot'",
    '[ -f /run/reboot-required ] || exit 0; reboot',
    'if [ -f /etc/keep ]; then exit; fi; reboot',
    '"$CHECK"; reboot',
    'reboot() { :; }; reboot',
    // Not the last thing: what comes after it would run, or not.
    'reboot; rm -f /root/x',
    'reboot; echo x >/etc/keep',
    // Later.
    'shutdown -r +30',
    'shutdown -r 23:00',
    'systemctl --when=+1h reboot',
    'at now + 1 hour <<<reboot',
    // Only spoken of.
    'command -v reboot',
    'command -V reboot',
    'sudo -l reboot',
    'sudo -l -U root reboot',
    'env --version reboot',
    'nice --help reboot',
    'ionice -p 1 reboot',
    'pct exec 101 -- command -v reboot',
    './reboot',
    'constructor',
    'toString -x',
    'systemctl start constructor',
    '/opt/lab/reboot',
    // Somewhere else, or only programs: the kernel stays.
    'ssh host-b reboot',
    'sudo --host=nas reboot',
    'sudo -h nas reboot',
    'systemctl -H host-b reboot',
    'systemctl soft-reboot',
    'pvesh create /nodes/pve2/status --command reboot',
    'docker exec web reboot',
    'qm guest exec 200 -- reboot',
    'pct exec 101 -- pct reboot 102',
    'pct reboot web',
  ])('%s', (command) => {
    expect(expectedRestart(command, 'bash')).toBeUndefined();
  });
});
