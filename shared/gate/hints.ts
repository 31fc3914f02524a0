import { lineOf } from './rule.ts';
import type { Value } from './value.ts';

/** A small change after which a call would only look: programs, how the call reads, what to ask. */
type Hint = readonly [programs: string, form: RegExp, instead: string];

export const HINTS: readonly Hint[] = [
  ['vi vim nano ed ex emacs pico', /./, 'cat FILE'],
  ['crontab', /^-e$/, 'crontab -l'],
  ['visudo', /^/, 'visudo -c'],
  ['apt', /^(full-)?upgrade|^dist-upgrade/, 'apt list --upgradable'],
  ['apt-get', /(^| )(dist-)?upgrade/, 'apt-get -s upgrade'],
  ['apt-get apt', /(^| )(install|remove|autoremove)/, 'apt-get -s with the same words'],
  ['watch', /./, 'the command itself, once'],
  ['tcpdump tshark', /^/, 'ss -tunap'],
  ['systemctl', /^edit/, 'systemctl cat UNIT'],
  ['systemctl', /(^| )-H/, 'ssh HOST systemctl status UNIT'],
  ['docker podman', /^run( \S+)* --rm/, 'docker exec NAME COMMAND in a running container'],
  ['docker podman', /^exec( -\w+)* \S+ (ba|a)?sh$/, 'docker exec NAME COMMAND'],
  ['docker podman', /Env\b/, 'docker inspect NAME, whose secrets are struck out'],
  ['docker', /^-H|^--host/, 'docker without -H, on that host'],
  ['docker-compose', /^(\S+ )*config$/, 'docker compose config --services'],
  ['sqlite3', /^(?!(.* )?-readonly)/, "sqlite3 -readonly FILE '.tables'"],
  ['psql mysql mariadb', /select/i, 'count(*) or the catalogues instead of rows'],
  ['pct', /^enter/, 'pct exec ID -- COMMAND'],
  ['lxc-attach', /^(?!.* -- )/, 'lxc-attach -n ID -- COMMAND'],
  ['sed', /(^| )-\w*i|--in-place/, 'sed s/a/b/ FILE without -i shows the outcome'],
  ['sysctl', /(^| )-w|=/, 'sysctl vm.swappiness'],
  ['hostnamectl', /^set-/, 'hostnamectl'],
  ['timedatectl', /^set-/, 'timedatectl'],
  ['git', /^-c|^-p|--paginate/, 'git log -n 20 without options before the verb'],
  ['git', /^(fetch|pull)/, 'git status and git log'],
  ['curl', /(^| )(-o|-O|--output)/, 'curl -s URL without a file'],
  ['wget', /^(?!(.* )?-\w*O)/, 'wget -qO- URL'],
  ['ping', /^(?!(.* )?-\w*c)/, 'ping -c 4 HOST'],
  ['find', /-fprint|-fls/, 'find without -fprint: its output is shown'],
  ['sort', /(^| )(-o|--output)/, 'sort FILE without -o'],
  ['tar', /^-?\w*x/, 'tar -tf FILE'],
  ['unzip', /^(?!-l)/, 'unzip -l FILE'],
  ['gzip xz', /^(?!-l)/, 'gzip -l FILE'],
  ['rsync', /^(?!(.* )?--delete)/, 'rsync with -n is a change too: compare with diff -rq'],
  ['iptables ip6tables', /^-(A|I|D)/, 'iptables -S'],
  ['nft', /^(add|insert)/, 'nft list ruleset'],
  ['ufw', /^(allow|deny|enable)/, 'ufw status'],
  ['nginx', /^-s (stop|quit)/, 'nginx -t'],
  ['logrotate', /^-f/, 'logrotate -d FILE'],
  ['chronyc', /^(add|delete|makestep)/, 'chronyc tracking'],
  ['dmesg', /(^| )-[cC]/, 'dmesg -T'],
  ['ss', /(^| )-K/, 'ss -tunap'],
  ['ip', /^(l|li|link|a|addr|r|ro|route) (s|se|set|a|add|d|del)\b/, 'ip -br a'],
  ['smartctl', /(^| )-t/, 'smartctl -a DEVICE'],
  ['pvesh', /^(create|set)/, 'pvesh get PATH'],
  ['kubectl', /^(edit|apply|delete|scale)/, 'kubectl get -o yaml'],
  ['helm', /^(install|upgrade)/, 'helm list'],
  ['nvidia-smi', /^/, 'nvidia-smi without options'],
  ['date', /(^| )-s/, 'date'],
  ['hostname', /./, 'hostname'],
];

const BY_PROGRAM: ReadonlyMap<string, readonly Hint[]> = index();

function index(): ReadonlyMap<string, readonly Hint[]> {
  const hints = new Map<string, Hint[]>();
  for (const hint of HINTS) {
    for (const program of hint[0].split(' ')) {
      hints.set(program, [...(hints.get(program) ?? []), hint]);
    }
  }
  return hints;
}

/** The harmless form of what a changing call seems to want, where there is one. */
export function insteadOf(name: string, args: readonly Value[]): string | undefined {
  const line = lineOf({ args });
  return BY_PROGRAM.get(name)?.find(([, form]) => form.test(line))?.[2];
}
