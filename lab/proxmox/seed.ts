/** What the lab holds when it is new: the units of the host and its containers. Data only. */

export interface UnitSeed {
  readonly description: string;
  readonly enabled: boolean;
  readonly command: string;
  readonly reloadable?: boolean;
  readonly needs?: string;
  readonly complaint?: string;
}

export interface ContainerSeed {
  readonly vmid: number;
  readonly name: string;
  /** Running ones are started when the host boots. */
  readonly running: boolean;
  readonly config: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, UnitSeed>>;
  /** Files by absolute path inside. */
  readonly files: Readonly<Record<string, string>>;
}

const SSH: UnitSeed = {
  description: 'OpenBSD Secure Shell server',
  enabled: true,
  command: 'sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups',
  reloadable: true,
};
const CRON: UnitSeed = {
  description: 'Regular background program processing daemon',
  enabled: true,
  command: '/usr/sbin/cron -f',
};
const NGINX: UnitSeed = {
  description: 'A high performance web server and a reverse proxy server',
  enabled: true,
  command: 'nginx: master process /usr/sbin/nginx -g daemon on; master_process on;',
  reloadable: true,
};

const NGINX_CONF = `user www-data;
worker_processes auto;
pid /run/nginx.pid;

events {
    worker_connections 768;
}

http {
    sendfile on;
    include /etc/nginx/sites-enabled/*;
}
`;

const site = (name: string) => `server {
    listen 80 default_server;
    server_name ${name};
    root /var/www/html;
    index index.html;

    location / {
        try_files $uri $uri/ =404;
    }
}
`;

export const HOST_UNITS: Readonly<Record<string, UnitSeed>> = {
  ssh: SSH,
  cron: CRON,
  'pve-cluster': {
    description: 'The Proxmox VE cluster filesystem',
    enabled: true,
    command: '/usr/bin/pmxcfs',
  },
  pvedaemon: {
    description: 'PVE API Daemon',
    enabled: true,
    command: 'pvedaemon',
    reloadable: true,
  },
  pveproxy: {
    description: 'PVE API Proxy Server',
    enabled: true,
    command: 'pveproxy',
    reloadable: true,
  },
  'backup-mirror': {
    description: 'Mirror of the backup store',
    enabled: true,
    command: '/usr/sbin/backup-mirror',
    needs: '/mnt/backup/.mounted',
    complaint: 'backup-mirror: /mnt/backup is not mounted, refusing to mirror an empty folder',
  },
};

export const CONTAINERS: readonly ContainerSeed[] = [
  {
    vmid: 101,
    name: 'web',
    running: true,
    config: container(101, 'web', { memory: '1024', cores: '2', size: '8G', tags: 'prod;web' }),
    units: { nginx: NGINX, ssh: SSH, cron: CRON },
    files: webFiles('web.lab.example', 'The web server of the lab.'),
  },
  {
    vmid: 102,
    name: 'dns',
    running: true,
    config: container(102, 'dns', { memory: '256', cores: '1', size: '4G', tags: 'prod' }),
    units: {
      dnsmasq: {
        description: 'dnsmasq - A lightweight DHCP and caching DNS server',
        enabled: true,
        command: '/usr/sbin/dnsmasq -x /run/dnsmasq/dnsmasq.pid -u dnsmasq',
        reloadable: true,
      },
      ssh: SSH,
      cron: CRON,
    },
    files: { '/etc/dnsmasq.conf': 'domain-needed\nbogus-priv\ncache-size=1000\n' },
  },
  {
    vmid: 110,
    name: 'db',
    running: true,
    config: container(110, 'db', { memory: '2048', cores: '2', size: '32G', tags: 'db;prod' }),
    units: {
      postgresql: {
        description: 'PostgreSQL RDBMS',
        enabled: true,
        command: '/usr/lib/postgresql/17/bin/postgres -D /var/lib/postgresql/17/main',
        reloadable: true,
      },
      ssh: SSH,
      cron: CRON,
    },
    files: { '/etc/postgresql/postgresql.conf': "listen_addresses = 'localhost'\n" },
  },
  {
    vmid: 135,
    name: 'web-old',
    running: true,
    config: container(135, 'web-old', { memory: '512', cores: '1', size: '8G', tags: 'old' }),
    units: { nginx: NGINX, ssh: SSH, cron: CRON },
    files: webFiles('web-old.lab.example', 'The web server before the move.'),
  },
  {
    vmid: 140,
    name: 'scratch',
    running: false,
    config: container(140, 'scratch', { memory: '512', cores: '1', size: '4G', tags: 'test' }),
    units: { ssh: SSH, cron: CRON },
    files: {},
  },
];

interface Sizes {
  readonly memory: string;
  readonly cores: string;
  readonly size: string;
  readonly tags: string;
}

function container(vmid: number, hostname: string, sizes: Sizes): Record<string, string> {
  const mac = `BC:24:11:0A:${hex(vmid >> 8)}:${hex(vmid & 255)}`;
  return {
    arch: 'amd64',
    cores: sizes.cores,
    features: 'nesting=1',
    hostname,
    memory: sizes.memory,
    net0: `name=eth0,bridge=vmbr0,gw=192.0.2.1,hwaddr=${mac},ip=192.0.2.${vmid}/24,type=veth`,
    onboot: '1',
    ostype: 'debian',
    rootfs: `local-zfs:subvol-${vmid}-disk-0,size=${sizes.size}`,
    swap: '512',
    tags: sizes.tags,
    unprivileged: '1',
  };
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

function webFiles(serverName: string, text: string): Record<string, string> {
  return {
    '/etc/nginx/nginx.conf': NGINX_CONF,
    '/etc/nginx/sites-enabled/default': site(serverName),
    '/var/www/html/index.html': `<!doctype html>\n<title>${serverName}</title>\n<p>${text}</p>\n`,
  };
}
