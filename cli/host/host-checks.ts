import type { FleetGuest, FleetHost } from '../../daemon/fleet.ts';
import type { HostTrouble } from '../../daemon/ssh/hosts.ts';
import { type Check, fails, note, ok } from '../check.ts';
import type { FoundGuest } from './found-guests.ts';
import { compareCommand } from './host-key.ts';
import type { HostFacts, Shown } from './look.ts';

/** What was seen of a host, line by line; it stops at the first thing that the rest depends on. */
export function hostChecks(host: FleetHost, shown: Shown): readonly Check[] {
  const { key, trouble, facts } = shown;
  if (trouble)
    return [...(key ? [ok(`${host.slug} answers`)] : []), troubleCheck(host, trouble, key)];
  const login = [
    ok(`${host.slug} answers, and its key is the pinned one (${key?.type} ${key?.fingerprint})`),
    ok(`login as ${host.user} with ${loginName(host)}`),
  ];
  if (!facts) return [...login, startCheck(host, shown.reason ?? 'no answer')];
  return [...login, bashCheck(facts), rootCheck(host, facts), ...proxmoxChecks(facts)];
}

/** One plain sentence a trouble: what is wrong, and what to do. */
export function troubleCheck(host: FleetHost, trouble: HostTrouble, key: Shown['key']): Check {
  if (host.jump !== undefined && !trouble.sentence.includes(host.slug)) {
    return fails(
      `the way to ${host.slug} is closed: ${trouble.sentence}`,
      `oikos host check ${host.jump.replace(/^host:/, '')}`,
    );
  }
  const compare = key ? compareCommand(key) : 'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub';
  switch (trouble.kind) {
    case 'changed_key':
      return fails(
        `THE HOST KEY CHANGED: ${trouble.sentence}`,
        `if you reinstalled it, compare on its console (${compare}) and put the new fingerprint into fleet.yaml; if not, do not connect`,
      );
    case 'unknown_key':
      return fails(trouble.sentence, `on the host: ${compare}`);
    case 'refused_login':
      return host.keyFile === undefined
        ? fails(
            `${host.slug} refuses every key of ${loginName(host)} for ${host.user}`,
            `ssh-add -L shows what it holds; put the right one into ~${host.user}/.ssh/authorized_keys there`,
          )
        : fails(
            `${host.slug} refuses the key ${host.keyFile} for ${host.user}`,
            `put ${host.keyFile}.pub into ~${host.user}/.ssh/authorized_keys there: ${copyCommand(host)}`,
          );
    case 'unusable_key':
      return fails(trouble.sentence, keyTodo(host, trouble.sentence));
    case 'unreachable':
    case 'timeout':
      return fails(trouble.sentence, `try: ssh -p ${host.port} ${host.user}@${host.address}`);
    case 'unknown_host':
    case 'no_channel':
      return fails(trouble.sentence);
  }
}

function loginName({ keyFile, agent }: FleetHost): string {
  return keyFile ?? `the SSH agent (${agent})`;
}

function copyCommand({ keyFile, port, user, address }: FleetHost): string {
  const way = port === 22 ? '' : `-p ${port} `;
  return `ssh-copy-id -i ${keyFile}.pub ${way}${user}@${address}`;
}

function keyTodo({ keyFile, agent }: FleetHost, sentence: string): string {
  if (keyFile === undefined) {
    return `start it as the daemon's user and add the key: SSH_AUTH_SOCK=${agent === 'SSH_AUTH_SOCK' ? '…' : agent} ssh-add`;
  }
  if (/ENOENT/.test(sentence)) return `make one: ssh-keygen -t ed25519 -N '' -f ${keyFile}`;
  if (/EACCES/.test(sentence)) return `let this user read it: chown or chmod ${keyFile}`;
  if (/passphrase/i.test(sentence)) {
    return 'put the passphrase into a file of its own and name it with --passphrase-file';
  }
  return 'give the private key (not the .pub file) in OpenSSH or PEM form';
}

function startCheck(host: FleetHost, reason: string): Check {
  if (host.sudo && /sudo|password/i.test(reason)) {
    return fails(
      `sudo -n does not work for ${host.user} (${reason})`,
      `allow it on the host: echo '${host.user} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/oikos`,
    );
  }
  if (/setsid/.test(reason)) return fails(reason, 'install util-linux on the host');
  return fails(`no command can be started on ${host.slug}`, reason);
}

function bashCheck({ bash }: HostFacts): Check {
  return bash
    ? ok('bash')
    : note('no /bin/bash: commands are judged and run as POSIX sh', 'apt install bash there');
}

function rootCheck(host: FleetHost, { uid, sudo }: HostFacts): Check {
  if (host.sudo) return ok(`root by sudo -n as ${host.user}`);
  if (uid === 0) return ok('root');
  const what = `${host.user} is not root`;
  return sudo
    ? note(`${what}, and sudo -n works`, 'with --sudo (sudo: true in fleet.yaml) Oikos uses it')
    : note(`${what} and may not use sudo -n`, 'only what this user may do will work');
}

function proxmoxChecks({ pct, keepEnv, guests, node }: HostFacts): readonly Check[] {
  if (!pct) return [ok('a plain host: there is no pct, so no containers')];
  const option = keepEnv ? 'pct exec knows --keep-env' : 'pct exec is too old for --keep-env';
  if (!guests) {
    return [
      ok(`Proxmox (${option})`),
      fails('pvesh gives no list of guests', 'is pve-cluster running there?'),
    ];
  }
  const here = guests.filter((guest) => guest.node === node);
  return [ok(`Proxmox node ${node}: ${here.length} guests (${option})`)];
}

/** The guests of fleet.yaml against those that the host has now. */
export function guestChecks(
  listed: readonly FleetGuest[],
  { guests = [], node }: HostFacts,
): readonly Check[] {
  const byId = new Map(guests.map((guest) => [guest.vmid, guest]));
  const known = new Set(listed.map(({ vmid }) => vmid));
  const unlisted = guests.filter((guest) => guest.node === node && !known.has(guest.vmid));
  return [
    ...listed.map((guest) => guestCheck(guest, byId.get(guest.vmid), node)),
    ...unlisted.map(({ kind, vmid, name }) =>
      note(
        `${kind === 'lxc' ? 'CT' : 'VM'} ${vmid} (${name ?? 'no name'}) is not in fleet.yaml`,
        'Oikos does not serve it',
      ),
    ),
  ];
}

function guestCheck(listed: FleetGuest, there: FoundGuest | undefined, node: string): Check {
  const { slug, vmid, kind, name } = listed;
  if (!there || there.kind !== kind) {
    return fails(`${slug} is listed as ${kind} ${vmid}, which is not there`, 'correct fleet.yaml');
  }
  if (there.node !== node) {
    return fails(`${slug} (${vmid}) is on node ${there.node} now`, 'list it under that host');
  }
  if (there.name !== name) {
    return fails(
      `${slug} (${vmid}) is named ${there.name ?? 'nothing'}, not ${name}`,
      'nothing will be changed on it until fleet.yaml says so too',
    );
  }
  return ok(`${slug} (${vmid}) is there, ${there.status}`);
}
