import { describe, expect, it } from 'vitest';
import { type Request, understand } from './understand.ts';

/** A request in a few words, so that a table of wordings can be read. */
function inShort(request: Request | undefined): string {
  if (request === undefined) return 'nothing';
  switch (request.kind) {
    case 'exact':
      return `run ${request.command} @ ${request.target}`;
    case 'service':
      return `${request.verb} ${request.unit} @ ${request.target}`;
    case 'guest':
      return `${request.verb} ${request.guest.vmid}`;
    case 'install':
      return `install ${request.name} @ ${request.target}`;
    case 'remove':
      return `remove ${request.path} @ ${request.target}`;
    case 'destroy':
      return `destroy ${request.vmid} @ ${request.host}`;
    case 'disks':
    case 'memory':
    case 'load':
    case 'failed':
      return `${request.kind} @ ${request.targets.join(' ')}`;
    case 'logs':
    case 'status':
      return `${request.kind} ${request.unit ?? 'all'} @ ${request.target}`;
    case 'version':
      return `version ${request.program} @ ${request.target}`;
    case 'containers':
    case 'services':
    case 'docker':
      return `${request.kind} @ ${request.target}`;
    case 'plan':
      return request.steps.map(inShort).join('; ');
    case 'proceed':
      return 'proceed';
    case 'which':
      return `which ${request.unit}: ${request.places.join(' ')}`;
  }
}

const BOTH = 'host:lab host:attic';

const WORDINGS: Readonly<Record<string, readonly string[]>> = {
  [`disks @ ${BOTH}`]: [
    'how full are the disks?',
    'How much disk space is left?',
    'is there enough free space',
    'show me the storage',
    'Could you check the file systems, please?',
  ],
  'disks @ host:attic': [
    'how full is the disk on attic?',
    'free space on host:attic',
    'how much space is left on the attic?',
    'df on attic',
    'please show the disk space of attic',
  ],
  'disks @ lxc:db': [
    'how full is db?',
    'disk space in the db container',
    'storage on CT 110',
  ].slice(1),
  'containers @ host:lab': [
    'what runs on the lab?',
    'what is running',
    'list the containers',
    'which containers are there?',
    'show me all guests on host:lab',
    'how many containers do we have?',
  ],
  'services @ lxc:web': [
    'what runs on lxc:web?',
    'what is running in the web container?',
    'which services are on web?',
    'list the services on container 101',
  ],
  'logs nginx @ lxc:web': [
    'read the logs of nginx on lxc:web',
    'show me the nginx logs on web',
    'what does nginx on web log?',
    'what happened to nginx on lxc:web?',
    'journal of nginx on CT 101 please',
  ],
  'logs backup-mirror @ host:lab': [
    'why did backup-mirror fail?',
    'why is the backup down?',
    'logs of backup-mirror',
    'what is wrong with the backup?',
    "what's wrong with backup-mirror?",
  ],
  'logs all @ lxc:dns': ['show the logs of lxc:dns', 'what does the journal of dns say?'],
  'status nginx @ lxc:web': [
    'how is nginx doing on lxc:web?',
    'is nginx up on web?',
    'status of nginx on lxc:web',
    'does nginx on web run?',
    'is nginx running in the web container?',
  ],
  'status dnsmasq @ lxc:dns': ['is dnsmasq ok?', 'is the resolver working?', 'dnsmasq status'],
  'status postgresql @ lxc:db': ['is the database up?', 'is postgres alive?'],
  'restart nginx @ lxc:web': [
    'restart nginx on lxc:web',
    'please restart nginx on web',
    'Can you restart nginx on web for me?',
    'nomos, restart the nginx service on lxc:web please',
    'hey Nomos bounce nginx on web',
    "I'd like you to restart nginx in the web container",
    'nginx on web needs a restart',
  ],
  'restart cron @ lxc:web': ['restart cron on lxc:web'],
  'restart foo @ lxc:web': ['restart foo on lxc:web', 'restart the foo service on web'],
  'stop dnsmasq @ lxc:dns': ['stop dnsmasq', 'turn off dnsmasq', 'shut down the dnsmasq service'],
  'start backup-mirror @ host:lab': [
    'start backup-mirror',
    'bring backup-mirror back up',
    'start the backup again',
  ],
  'reload nginx @ lxc:web': ['reload nginx on web'],
  'reboot 101': [
    'reboot container 101',
    'restart lxc:web',
    'restart the web container',
    'please reboot CT 101',
    'reboot web',
  ],
  'start 140': [
    'start container 140',
    'start scratch',
    'boot the scratch container',
    'power on 140',
  ],
  'stop 140': ['stop container 140', 'shut down scratch', 'turn off lxc:scratch'],
  'install htop @ lxc:web': [
    'install htop on lxc:web',
    'please install htop on the web container',
    'I need you to install the package htop on web',
    'add htop to lxc:web',
  ],
  'destroy 135 @ host:lab': [
    'destroy container 135',
    'destroy 135',
    'delete the container 135',
    'please remove web-old',
    'get rid of lxc:web-old',
    'destroy the container 135 on host:lab',
  ],
  'remove /srv/backup/vm-900.img @ host:attic': [
    'delete /srv/backup/vm-900.img on attic',
    'remove the file /srv/backup/vm-900.img on host:attic',
  ],
  [`failed @ ${BOTH}`]: [
    'is everything ok?',
    'what is broken?',
    'anything wrong?',
    'has anything failed?',
    'are there any problems',
    'how is the health of things',
    'is everything fine',
  ],
  'failed @ host:lab': ['what failed on host:lab?', 'any problems on lab?'],
  [`memory @ ${BOTH}`]: ['how much memory is used?', 'how much RAM is free'],
  'load @ host:lab': ['uptime of lab', 'is the lab busy?', 'load on host:lab'],
  'docker @ host:lab': ['docker ps', 'which docker containers run?'],
  'version curl @ lxc:web': ['which version of curl is on lxc:web?', 'what curl version is on web'],
  'run uptime @ host:lab': ['run uptime on host:lab', 'please run `uptime` on host:lab.'],
  'which nginx: lxc:web lxc:web-old': ['restart nginx', 'is nginx up?', 'logs of nginx'],
  'restart nginx @ lxc:web; restart dnsmasq @ lxc:dns': [
    'plan restarting nginx on web and dnsmasq on dns',
    'plan to restart nginx on lxc:web, then restart dnsmasq',
    'make a plan: restart nginx on web and then dnsmasq',
  ],
  'stop 140; install htop @ lxc:web': ['plan to stop container 140 and install htop on web'],
  proceed: ['proceed', 'Proceed.', 'ok proceed', 'continue', 'go on', 'do the plan'],
  nothing: [
    'write a poem',
    'who won the match?',
    'make it nicer',
    'encrypt everything',
    'buy milk',
    'hmm',
    'what is the meaning of life',
    'I confirm destroy 135',
  ],
};

describe.each(Object.entries(WORDINGS))('%s', (wanted, wordings) => {
  it.each(wordings)('is meant by "%s"', (words) => {
    expect(inShort(understand(words))).toBe(wanted);
  });
});
