import { describe, expect, it } from 'vitest';
import type { RiskClass } from '../domain/risk.ts';
import { classify } from './classify.ts';
import { BASH_FACTS } from './facts.ts';
import { SECRET_FILES } from './secret-files.ts';

const judge = (command: string) => classify({ command, facts: BASH_FACTS });
const risk = (command: string): RiskClass => judge(command).risk;
const quoted = (path: string): string => `'${path}'`;

describe('secrets of applications', () => {
  it('are known for at least sixty applications', () => {
    expect(new Set(SECRET_FILES.map(({ app }) => app)).size).toBeGreaterThanOrEqual(60);
  });

  it.each(SECRET_FILES)('$app: $example is not a plain read', ({ example, form }) => {
    expect(form.test(example)).toBe(true);
    expect(judge(`cat ${quoted(example)}`)).toMatchObject({ risk: 'destructive' });
    expect(judge(`cat ${quoted(example)}`).flags).toContain('secret');
  });

  it.each(SECRET_FILES)('$app: by directory, wrapper, option and redirection', ({ example }) => {
    const folder = example.slice(0, example.lastIndexOf('/'));
    const name = example.slice(example.lastIndexOf('/') + 1);
    const commands = [
      `cd ${quoted(folder)} && grep -n x ${quoted(name)}`,
      `sudo head -5 ${quoted(example)}`,
      `pct exec 101 -- cat ${quoted(example)}`,
      `docker exec web tail -n 5 ${quoted(example)}`,
      `wc -l < ${quoted(example)}`,
      `base64 ${quoted(`${folder}/../${folder.split('/').pop()}/${name}`)}`,
      `curl -F f=@${quoted(example)} http://localhost/`,
    ];
    expect(commands.filter((command) => risk(command) !== 'destructive')).toEqual([]);
  });

  it('are seen behind patterns and braces', () => {
    const commands = [
      'cat /opt/*/acme.json',
      'cat /opt/traefik/ac?e.json',
      'cat /var/lib/tailscale/tailscaled.st*',
      'cat /opt/homeassistant/.storage/a*',
      'cat /opt/homeassistant/.storage/{auth,core.config_entries}',
      'for f in auth core.config_entries; do cat /opt/homeassistant/.storage/$f; done',
      'f=/opt/vaultwarden/data/config.json; cat "$f"',
      'cat /var/www/*/wp-config.php',
      'head -3 /etc/netplan/*wifi*',
      'xargs cat < /etc/hosts; cat /opt/traefik/"acme".json',
      'sh -c "cat /opt/gitea/conf/app.ini"',
      'ssh pve2 cat /etc/gitlab/gitlab-secrets.json',
    ];
    expect(commands.filter((command) => risk(command) !== 'destructive')).toEqual([]);
  });

  it('count every path too long to be looked up as one', () => {
    expect(risk(`cat /srv${'/a'.repeat(2500)}/x`)).toBe('destructive');
  });

  it('leave the other files of the same applications readable', () => {
    const commands = [
      'cat /etc/netplan/50-cloud-init.yaml',
      'tail -n 50 /opt/homeassistant/home-assistant.log',
      'cat /opt/homeassistant/automations.yaml',
      'cat /etc/nginx/nginx.conf',
      'head /opt/traefik/traefik.yml',
      'ls -la /opt/homeassistant/.storage',
      'stat /opt/traefik/acme.json',
      'openssl x509 -in /etc/letsencrypt/live/x/cert.pem -noout -enddate',
      "sqlite3 -readonly /opt/vaultwarden/data/db.sqlite3 'select count(*) from users'",
      'docker inspect web',
    ];
    expect(commands.filter((command) => risk(command) !== 'read_only')).toEqual([]);
  });

  it('counts the environment of a container as more than a look', () => {
    expect(risk("docker inspect -f '{{.Config.Env}}' web")).toBe('config_mutation');
    expect(risk("docker inspect --format '{{range .Config.Env}}{{.}}{{end}}' web")).toBe(
      'config_mutation',
    );
  });
});
