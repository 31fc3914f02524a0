import { describe, expect, it } from 'vitest';
import { parseGuestConfig } from './guest-config.ts';
import { currentStatus, currentStatusObject, guestResource, sortedJson } from './resources.ts';

const config = parseGuestConfig(
  'cores: 2\nhostname: web1\nmemory: 512\nrootfs: local-zfs:subvol-101-disk-0,size=8G\ntags: prod;web\n',
);
const running = { vmid: 101, node: 'pve1', config, running: { pid: 4711, uptimeSeconds: 321 } };
const stopped = { vmid: 140, node: 'pve1', config: parseGuestConfig('arch: amd64\n') };

describe('/cluster/resources', () => {
  it('reports a running container with exactly the fields of a real node', () => {
    expect(sortedJson([guestResource(running)])).toBe(
      '[{"cpu":0.0125,"disk":1288490188,"diskread":1048576,"diskwrite":524288,"id":"lxc/101","maxcpu":2,"maxdisk":8589934592,"maxmem":536870912,"mem":41943040,"memhost":41943040,"name":"web1","netin":5120,"netout":2048,"node":"pve1","status":"running","tags":"prod;web","template":0,"type":"lxc","uptime":321,"vmid":101}]',
    );
  });

  it('reports the lock of a locked one', () => {
    const withLock = { ...stopped, config: parseGuestConfig('lock: backup\n') };
    expect(guestResource(withLock)).toMatchObject({ lock: 'backup', status: 'stopped' });
  });
});

describe('status', () => {
  it('of a stopped container has no pid, no use of disk and the default size', () => {
    expect(currentStatus(stopped)).toMatchObject({
      disk: 0,
      maxdisk: 4294967296,
      name: 'CT140',
      status: 'stopped',
      uptime: 0,
    });
    expect(currentStatus(stopped)).not.toHaveProperty('pid');
  });

  it('verbose has no cpu, the pvesh object has it and ha', () => {
    expect(currentStatus(running)).not.toHaveProperty('cpu');
    expect(currentStatusObject(running)).toMatchObject({ cpu: 0.0125, ha: { managed: 0 } });
  });
});
