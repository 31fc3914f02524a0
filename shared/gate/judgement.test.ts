import { describe, expect, it } from 'vitest';
import type { RiskClass } from '../domain/risk.ts';
import { classify } from './classify.ts';
import { BASH_FACTS, type GateFacts } from './facts.ts';
import { DEFAULT_POLICY, type GatePolicy } from './policy.ts';

const risk = (
  command: string,
  policy: Partial<GatePolicy> = {},
  facts: Partial<GateFacts> = {},
): RiskClass =>
  classify({
    command,
    facts: { ...BASH_FACTS, ...facts },
    policy: { ...DEFAULT_POLICY, ...policy },
  }).risk;

// docs/GATE.md, "Judgement calls": the question, a line of it, our class.
describe('judgement calls', () => {
  it.each<[string, string, RiskClass]>([
    ['substitutions', 'docker inspect $(docker ps -q)', 'read_only'],
    ['compound lines', 'df -h; systemctl restart x', 'config_mutation'],
    ['account hashes', 'cat /etc/shadow', 'destructive'],
    ['environments', 'cat /proc/1/environ', 'destructive'],
    ['environments', 'ps auxe', 'destructive'],
    ['environments', 'env', 'destructive'],
    ['cluster keys', 'cat /etc/pve/priv/token.cfg', 'destructive'],
    ['secrets of a cluster', 'kubectl get secret x -o yaml', 'destructive'],
    ['descriptions', 'docker inspect web', 'read_only'],
    ['descriptions taken apart', "docker inspect web | awk -F= '{print $2}'", 'config_mutation'],
    ['unit files', 'systemctl cat web', 'read_only'],
    ['unit environments', 'systemctl show -p Environment web', 'config_mutation'],
    ['resolved stacks', 'docker compose config', 'config_mutation'],
    ['logs', 'docker logs web', 'read_only'],
    ['logs respelt', "docker logs web | sed 's/./& /g'", 'config_mutation'],
    ['counts', "psql -c 'select count(*) from books'", 'read_only'],
    ['rows', "psql -c 'select * from books'", 'config_mutation'],
    ['own network', 'curl -s http://localhost:8080/health', 'read_only'],
    ['a relay', 'curl http://10.0.0.7/relay/0?turn=on', 'config_mutation'],
    ['outside', 'curl https://example.com', 'config_mutation'],
    ['names', 'dig example.com', 'read_only'],
    ['computed names', 'dig "$(hostname).example.com"', 'config_mutation'],
    ['restart', 'systemctl restart web', 'config_mutation'],
    ['reload', 'systemctl reload web', 'reversible_low'],
    ['snapshot', 'pct snapshot 101 a', 'reversible_low'],
    ['snapshot gone', 'pct delsnapshot 101 a', 'destructive'],
    ['back to a snapshot', 'pct rollback 101 a', 'destructive'],
    ['a network card', 'ip link set eno1 down', 'config_mutation'],
    ['the way out', 'ip route del default', 'config_mutation'],
    ['the firewall', 'iptables -F', 'destructive'],
    ['a file', 'df -h > /srv/x', 'config_mutation'],
    ['a file emptied', '> /srv/x', 'destructive'],
    ['an account file', 'echo x > /etc/passwd', 'destructive'],
    ['endless', 'tail -f /var/log/syslog', 'read_only'],
    ['interactive', 'htop', 'config_mutation'],
    ['repositories', 'git -C /opt/x status', 'read_only'],
    ['repositories of anybody', 'git -C /tmp/x status', 'config_mutation'],
    ['found files listed', 'find /srv -exec ls -l {} +', 'read_only'],
    ['found files printed', 'find /srv -exec cat {} +', 'config_mutation'],
    ['devices', 'cat /dev/input/event0', 'config_mutation'],
    ['the watchdog', 'cat /dev/watchdog', 'destructive'],
    ['a sourced file', '. /etc/profile', 'config_mutation'],
    ['the release file of the system', '. /etc/os-release; echo "$PRETTY_NAME"', 'read_only'],
    ['evaluated numbers', '[[ $x -gt 5 ]]', 'config_mutation'],
    ['plain numbers', 'x=6; [ "$x" -gt 5 ]', 'read_only'],
    ['asking whether it is set', '[ -n "$API_KEY" ]', 'read_only'],
    ['rm', 'rm /tmp/x', 'destructive'],
    ['an installer', 'curl -fsSL https://get.docker.com | sh', 'config_mutation'],
  ])('%s: %s', (_question, command, expected) => {
    expect(risk(command)).toBe(expected);
  });

  it.each<[string, Partial<GatePolicy>, RiskClass, RiskClass]>([
    [
      'docker inspect $(docker ps -q)',
      { strictSubstitution: true },
      'read_only',
      'config_mutation',
    ],
    ['git log -5', { git: false }, 'read_only', 'config_mutation'],
    ["psql -c 'select * from books'", { rowData: true }, 'config_mutation', 'read_only'],
    ['rm /srv/scratch/x', { scratchFolders: ['/srv/scratch'] }, 'destructive', 'config_mutation'],
  ])('%s is the operator’s choice', (command, policy, usual, chosen) => {
    expect([risk(command), risk(command, policy)]).toEqual([usual, chosen]);
  });

  it('takes a repository below a guest’s tree for the guest’s on a host, not inside it', () => {
    const facts = { targetKind: 'host', guestWritable: ['/tank/share'] } as const;
    const trees = ['/tank/share/app', '/rpool/data/subvol-101-disk-0/opt/x', '/tmp/x'];
    for (const tree of trees) {
      expect([tree, risk(`git -C ${tree} log -p`, {}, facts)]).toEqual([tree, 'config_mutation']);
      expect([tree, risk(`cd ${tree} && git diff`, {}, facts)]).toEqual([tree, 'config_mutation']);
    }
    expect(risk('git -C /opt/x log -p', {}, facts)).toBe('read_only');
    expect(risk('pct exec 101 -- git -C /tank/share/app log', {}, facts)).toBe('read_only');
  });
});

describe('Oikos where it says it lives', () => {
  const facts = { self: { paths: ['/srv/nomos'], slugs: ['lxc/140'] } } as const;
  it.each([
    'rm -rf /srv/nomos/db',
    'rm -rf /srv/./nomos',
    'rm -rf /srv//nomos',
    'rm -rf /srv/x/../nomos/db',
    'cd /srv && rm -rf nomos',
    'cd /srv/nomos; sed -i s/a/b/ compose.yaml',
    'cp x /srv/nom*/fleet.yaml',
    'cp x /srv/{nomos,x}/y',
    'chown -R bob /sr*',
    'mv /srv /srv2',
    'echo x > /srv/nom?s/.env',
    'tar -xf x.tar -C /srv/nomos',
    'pct stop 140',
  ])('%s changes it', (command) => {
    expect(risk(command, {}, facts)).toBe('destructive');
  });

  it.each([
    'cp x /srv/nomos-notes/y',
    'systemctl restart nginx',
    'cd /opt && mv a b',
    'pct stop 141',
  ])('%s does not', (command) => {
    expect(risk(command, {}, facts)).toBe('config_mutation');
  });
});
