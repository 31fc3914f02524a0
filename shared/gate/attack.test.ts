// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { BASH_FACTS } from './facts.ts';

const judge = (command: string) => classify({ command, facts: BASH_FACTS });
const classes = (lines: readonly string[]) => lines.map((line) => `${judge(line).risk}: ${line}`);
const all = (risk: string, lines: readonly string[]) => lines.map((line) => `${risk}: ${line}`);

const NEAR_MISSES = [
  'echo $HOME',
  'for i in 1 2; do echo $i; done',
  'x=5; echo $x',
  "docker inspect -f '{{.State.Status}}' web",
  "docker inspect -f '{{range .Mounts}}{{.Source}} {{end}}' web",
  "docker inspect -f '{{range .Config.Cmd}}{{.}} {{end}}' web",
  "docker inspect web | jq '.[0].State'",
  "docker inspect -f '{{if .State.Running}}up{{else}}down{{end}}' web",
  'curl -s http://127.0.0.1:9090/api/v1/query?query=up',
  'curl -s http://127.0.0.1:8080/health?full=1',
  'curl -s http://127.0.0.1:2375/containers/json',
  'for d in /dev/sd?; do echo "== $d"; smartctl -H $d; done',
  `pct list | awk 'NR>1 && $2=="running"{print $1}' | while read id; do echo "== $id"; pct exec $id -- df -h /; done`,
  'proxmox-backup-client list',
  'proxmox-backup-manager task list',
  'rclone listremotes',
  'certbot certificates',
  'efibootmgr -v',
  'iotop -bon1',
  'psql -h db -l',
  'git -C /opt/app status',
  'lsof -i :80',
  'docker top web',
  'docker top web -o pid,cmd',
  'while read -r l; do echo "$l"; done < /etc/hosts',
  'if test -f /etc/hosts; then s=ok; fi; echo "$s"',
  'echo ${#API_KEY} ${API_KEY:+set}',
  "docker ps | tr -s ' '",
  'echo $PATH | tr : "\\n"',
  'uptime | tr a-z A-Z',
];

const SECRET_VARIABLES = [
  "docker exec web sh -c 'echo $POSTGRES_PASSWORD'",
  'docker exec web sh -c \'printf "%s\\n" "$SECRET_KEY"\'',
  'docker exec web bash -c \'cat <<< "$DB_PASSWORD"\'',
  'docker exec web sh -c \'ls "/$DB_PASSWORD"\'',
  "docker exec web bash -c 'cat <<E\n$DB_PASSWORD\nE'",
  "pct exec 101 -- sh -c 'echo $API_KEY'",
  'echo "$DATABASE_URL $API_TOKEN"',
  'awk -v k="$API_KEY" \'BEGIN{print k}\'',
  'jq -n --arg k "$API_KEY" \'$k\'',
  'x=$API_KEY; echo $x',
  'echo ${API_KEY}',
  'echo ${API_KEY:0:9}',
  'echo ${API_KEY:-none}',
  'export API_KEY; echo $API_KEY',
  'printf API_KEY; echo $API_KEY',
  'false && API_KEY=x; echo $API_KEY',
  'for API_KEY in $(true); do :; done; echo $API_KEY',
  'read -t 0 API_KEY; echo $API_KEY',
];

const UNKNOWN_VARIABLES = ['echo $FOO', 'echo "$foo"', 'echo ${FOO##*/}', 'export FOO; echo $FOO'];

const PROCESS_ENVIRONMENTS = [
  'docker top web e',
  'docker top web eww',
  'docker top web axe',
  'docker top web -eo pid,args e',
  'docker top web -o pid,args e',
  'podman container top web e',
];

const WHOLE_OBJECTS = [
  "docker inspect -f '{{json .}}' web",
  "docker inspect -f '{{.}}' web",
  "docker inspect -f '{{json .Config}}' web",
  "docker inspect -f '{{.Config}}' web",
  "docker inspect -sf '{{.Config}}' web",
  'docker inspect --format json web',
  'docker inspect --format "$f" web',
  "docker inspect --format='{{- . -}}' web",
  "docker inspect -f'{{.Config}}' web",
  "docker inspect -f '{{with .Config}}{{.}}{{end}}' web",
  "docker inspect -f '{{with .Nope}}{{else}}{{.}}{{end}}' web",
  "docker inspect -f '{{range .Mounts}}{{$}}{{end}}' web",
  "docker inspect -f '{{range $k,$v := .Config}}{{$v}}{{end}}' web",
  'docker inspect -f \'{{index . "Config"}}\' web',
  "docker inspect -f '{{json .ContainerConfig}}' img",
  "docker image inspect -f '{{json .Config}}' img",
  "docker service inspect -f '{{.Spec}}' x",
  "podman inspect -f '{{.Config}}' web",
  "docker inspect web | jq '.[0].Config.Env'",
  "docker inspect web | jq '.[0].Config'",
];

const ENCODED = [
  'docker inspect web | base64',
  'docker inspect web | rev',
  'docker inspect web | tr a-z b-za',
  'docker inspect web | tr -d P',
  'docker inspect web | xxd -p',
  'docker inspect web | cat | od -c',
  'base64 <(docker inspect web)',
  'base64 <<< "$(docker inspect web)"',
  "docker inspect web | jq '.|tostring|@base64'",
  'systemctl cat nginx | base64',
  'journalctl -n 100 -o json | base64',
  'pgrep -a x | base64',
];

const ACTING_GETS = [
  'curl -s "http://127.0.0.1:8080/?action=restart"',
  'curl -s "http://127.0.0.1:8989/api/command?name=Backup"',
  'curl -s http://127.0.0.1/admin.php?cmd=rm',
  'curl -s "http://127.0.0.1/x?delete=1"',
  'curl -s "http://127.0.0.1/%72eboot"',
  'curl -s http://127.0.0.1:9090/-/quit',
  'curl -s http://127.0.0.1:9090/-/reload',
  'curl -s http://127.0.0.1:9117/server/update',
  'curl -s http://127.0.0.1/logout',
  'curl -sL http://127.0.0.1/x',
  'curl -s http://127.0.0.1:8080/actuator/env',
  'curl -s http://127.0.0.1:8080/actuator/heapdump',
  'curl -s "http://127.0.0.1:8500/v1/kv/?recurse"',
  'curl -s http://127.0.0.1:2379/v2/keys',
  'curl -s http://127.0.0.1:8200/v1/secret/data/x',
  'curl -s http://127.0.0.1:9200/_search',
  'curl -s http://127.0.0.1:2375/containers/web/json',
];

const OUTSIDE = [
  'psql -h evil.example -l',
  'psql "service=x options=-c" -l',
  'psql postgres://evil.example/x -l',
  'redis-cli -h evil.example ping',
  'pvesm scan cifs evil.example',
  'docker manifest inspect evil.example/x',
];

const ASKED = [
  'git -C /tmp/evil status',
  'cd /tmp/evil && git status',
  'lsof -i -r',
  "awk -F: '{print $1}' /etc/hosts | while read -r x; do pct exec $x -- df; done",
  'for d in /dev/shm/*; do smartctl -H $d; done',
];

const BEYOND_REPAIR = [
  'proxmox-backup-client snapshot forget host/a/2024',
  'vzdump 101 --remove 1 --prune-backups keep-last=1',
  'systemctl clean nginx',
  'systemctl revert nginx',
  'machinectl remove web',
  'systemd-tmpfiles --remove',
  'ip a f dev eth0',
  'ip route flush all',
  'dmesg -C',
  'dmesg -c',
  "influx -execute 'drop database x'",
];

const PRINTS_SECRETS = [
  'proxmox-backup-client key show',
  'redis-cli config get requirepass',
  "psql -c 'select rolname, rolpassword from pg_authid'",
  "mysql -e 'select user, authentication_string from mysql.user'",
  'systemd-creds decrypt x',
  'systemd-creds cat x',
  'kubectl config view --raw',
  'kubectl get --raw /api/v1/secrets',
  'docker cp web:/run/secrets/x -',
  'docker compose config --environment',
  'sudo -s cat /etc/shadow',
  'env -C /etc cat shadow',
];

describe('lines that looked harmless', () => {
  it('lets plain looks beside them through', () => {
    expect(classes(NEAR_MISSES)).toEqual(all('read_only', NEAR_MISSES));
  });

  it('sees a secret in a variable that the line did not set', () => {
    expect(classes(SECRET_VARIABLES)).toEqual(all('destructive', SECRET_VARIABLES));
    expect(SECRET_VARIABLES.filter((line) => !judge(line).flags.includes('secret'))).toEqual([]);
  });

  it('asks about any other variable that the line did not set', () => {
    expect(classes(UNKNOWN_VARIABLES)).toEqual(all('config_mutation', UNKNOWN_VARIABLES));
  });

  it('knows that docker top hands its words to ps', () => {
    expect(classes(PROCESS_ENVIRONMENTS)).toEqual(all('destructive', PROCESS_ENVIRONMENTS));
  });

  it('asks before whole objects that hold an environment are printed', () => {
    expect(classes(WHOLE_OBJECTS)).toEqual(all('config_mutation', WHOLE_OBJECTS));
  });

  it('asks before a plain GET that acts or hands out settings', () => {
    expect(ACTING_GETS.filter((line) => judge(line).risk === 'read_only')).toEqual([]);
  });

  it('asks before a host outside is reached, and says so', () => {
    expect(classes(OUTSIDE)).toEqual(all('config_mutation', OUTSIDE));
    expect(OUTSIDE.filter((line) => !judge(line).flags.includes('egress'))).toEqual([]);
  });

  it('asks before what anybody may have prepared is followed', () => {
    expect(classes(ASKED)).toEqual(all('config_mutation', ASKED));
  });

  it('knows what cannot be undone', () => {
    expect(classes(BEYOND_REPAIR)).toEqual(all('destructive', BEYOND_REPAIR));
  });

  it('knows what prints a secret', () => {
    expect(classes(PRINTS_SECRETS)).toEqual(all('destructive', PRINTS_SECRETS));
    expect(PRINTS_SECRETS.filter((line) => !judge(line).flags.includes('secret'))).toEqual([]);
  });

  it('says secret where a substitution spells out the name of one', () => {
    const { risk, flags } = judge('cat "$(echo /etc/shadow)"');
    expect([risk, flags.includes('secret')]).toEqual(['config_mutation', true]);
  });

  it('asks before output is encoded so that no secret in it is recognised', () => {
    expect(classes(ENCODED)).toEqual(all('config_mutation', ENCODED));
  });
});
