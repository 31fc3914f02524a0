import { describe, expect, it } from 'vitest';
import type { GateContent } from '../../domain/gate-result.ts';
import { classify } from '../classify.ts';
import type { GateFacts } from '../facts.ts';
import { judgeReading } from './follow.ts';

const HOST: GateFacts = { shell: 'bash', targetKind: 'host' };
const judged = (command: string) => classify({ command, facts: HOST });

function told({ paths, need, in: place }: GateContent): string {
  const where = place === undefined ? '' : `${place}:`;
  return `${where}${paths.join('|')}${need === 'any' ? '?' : ''}`;
}

const STACK = (folder: string) =>
  ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml']
    .map((name) => `${folder}${name}`)
    .join('|');

describe('what a command executes or applies', () => {
  it.each<[string, string[]]>([
    ['bash /srv/x.sh --all', ['/srv/x.sh']],
    ['bash -eu -o pipefail /srv/x.sh', ['/srv/x.sh']],
    ['sudo -n sh ./x.sh', ['./x.sh']],
    ['cd /srv && sh x.sh', ['/srv/x.sh|/root/x.sh|/x.sh|x.sh']],
    ['/srv/tool --fix', ['/srv/tool']],
    ['cd / && sh x.sh', ['/x.sh|/root/x.sh|x.sh']],
    ['. /etc/default/x', ['/etc/default/x']],
    ['python3 -u /srv/a.py arg', ['/srv/a.py']],
    ['python3 -m http.server', []],
    ['perl -e 1', []],
    ['bash < /srv/x.sh', ['/srv/x.sh']],
    ['cat /srv/a.sh /srv/b.sh | sh', ['/srv/a.sh', '/srv/b.sh']],
    ['crontab -u bob /root/tab', ['/root/tab']],
    ['nft -f /etc/nftables.conf', ['/etc/nftables.conf']],
    ['iptables-restore < /root/rules', ['/root/rules']],
    ['kubectl apply -f a.yaml --filename=b.yaml', ['a.yaml', 'b.yaml']],
    ['ansible-playbook -i hosts site.yml', ['site.yml']],
    ['mysql wiki < /root/dump.sql', ['/root/dump.sql']],
    ['dpkg -i /root/a.deb', ['/root/a.deb']],
    ['apt-get install -y ./a.deb nginx', ['./a.deb']],
    ['apt-get install -y nginx', []],
    ['systemctl link /srv/x.service', ['/srv/x.service']],
    ['docker compose -f /srv/a/c.yml up -d', ['/srv/a/c.yml', '/srv/a/.env?']],
    ['docker compose --env-file /srv/e -f /srv/c.yml up', ['/srv/c.yml', '/srv/e']],
    ['docker compose restart', []],
    ['pct exec 101 -- sh /root/x.sh', ['lxc/101:/root/x.sh']],
    ['lxc-attach -n 101 -- sh /root/x.sh', ['lxc/101:/root/x.sh']],
    ['systemctl restart nginx', []],
  ])('%s', (command, contents) => {
    expect((judged(command).contents ?? []).map(told)).toEqual(contents);
  });

  it('includes what Compose takes by itself', () => {
    const [stack, overrides, settings] = (judged('docker compose up -d').contents ?? []).map(told);
    expect(stack).toBe(STACK(''));
    expect(overrides).toMatch(/^compose\.override\.yaml\|.*\?$/);
    expect(settings).toBe('.env?');
  });

  it('includes every place that a unit can come from, for a template too', () => {
    const [unit] = judged('systemctl enable backup@nas').contents ?? [];
    expect(unit?.need).toBe('any');
    expect(unit?.paths.slice(0, 2)).toEqual([
      '/etc/systemd/system/backup@nas.service',
      '/etc/systemd/system/backup@.service',
    ]);
  });

  it.each([
    'bash "$SCRIPT"',
    'docker exec web sh /x.sh',
    'ssh nas sh /x.sh',
    'cd "$DIR" && kubectl apply -f x.yaml',
    'nft -f "$RULES"',
  ])('is opaque where nobody can look: %s', (command) => {
    const { contents, flags } = judged(command);
    expect([contents, flags.includes('opaque')]).toEqual([undefined, true]);
  });

  it('is not asked for where the command only reads', () => {
    expect(judged('docker compose ps').contents).toBeUndefined();
  });
});

describe('files that a read_only command shows', () => {
  it.each<[string, string[]]>([
    ['cat /srv/x', ['/srv/x']],
    ['tail -n 20 notes', ['20', 'notes']],
    ['cd /srv; cat x', ['/srv/x', '/root/x', '/x', 'x']],
    ['grep -r needle /etc/nginx', ['/etc/nginx']],
    ['sed -n 1,3p < /srv/x', ['/srv/x']],
    ['pct exec 101 -- cat /srv/x', ['lxc/101:/srv/x']],
    ['docker exec web cat /srv/x', []],
    ['cat /proc/meminfo /sys/class/x', []],
    ['ls -l /srv; stat /srv/x', []],
    ['df -h', []],
  ])('%s', (command, operands) => {
    const { risk, operands: found = [] } = judged(command);
    const told = found.map(({ path, in: place }) => (place ? `${place}:${path}` : path));
    expect([risk, told]).toEqual(['read_only', operands]);
  });

  it.each([
    ['/etc/hosts', 'read_only', false],
    ['/etc/shadow', 'destructive', true],
    ["/srv/it's", 'read_only', false],
    ['/var/lib/lxc/101/rootfs/etc/x', 'config_mutation', false],
  ])('lead to %s', (path, risk, secret) => {
    expect(judgeReading(path, HOST)).toMatchObject({ risk, secret });
  });
});

describe('patterns that are listed first', () => {
  it.each<[string, string[]]>([
    ['rm -rf /srv/media/*', ['/srv/media/*']],
    ['rm /srv/*.log', ['/srv/*.log']],
    ['cd /srv/media && rm *.tmp', ['/srv/media/*.tmp', '/root/*.tmp', '/*.tmp', '*.tmp']],
    ["rm '/srv/odd*name/'*.log", ['/srv/odd\\*name/*.log']],
  ])('%s', (command, patterns) => {
    const { globs = [], confirm } = judged(command);
    expect(globs.map(({ pattern }) => pattern)).toEqual(patterns);
    expect(confirm).toEqual({ verb: 'rm', object: '@matches' });
  });

  it.each([
    'rm -rf /*',
    'rm -rf /srv/*',
    'rm -rf *',
    'cd /srv/media && rm *',
    'cd / && rm -rf e*',
    'rm -rf "$DIR"/*',
    'rm a/x* b/x*',
    'shopt -s dotglob; rm -rf /srv/media/*',
    'pct exec 101 -- rm /srv/media/*',
  ])('are too wide, several, or of an unknown place: %s', (command) => {
    const { globs, confirm } = judged(command);
    expect([globs, confirm]).toEqual([undefined, undefined]);
  });
});
