import { describe, expect, it } from 'vitest';
import {
  formatConfigListing,
  formatGuestConfig,
  parseGuestConfig,
  volumeBytes,
} from './guest-config.ts';

const file = `#web of the house
arch: amd64
hostname: web1
net0: name=eth0,bridge=vmbr0,ip=192.0.2.50/24,type=veth
parent: pre_upgrade
rootfs: local-zfs:subvol-101-disk-0,size=8G

[pre_upgrade]
#before apt upgrade
arch: amd64
snaptime: 1795988998
`;

describe('a guest config file', () => {
  it('keeps description, current values and snapshots apart', () => {
    const config = parseGuestConfig(file);
    expect(config.description).toEqual(['web of the house']);
    expect(config.values['hostname']).toBe('web1');
    expect(config.values['snaptime']).toBeUndefined();
    expect(config.snapshots).toEqual({
      pre_upgrade: ['#before apt upgrade', 'arch: amd64', 'snaptime: 1795988998'],
    });
  });

  it('is written as it was read', () => {
    expect(formatGuestConfig(parseGuestConfig(file))).toBe(file);
  });

  it('sorts its keys when written', () => {
    const text = 'swap: 512\nlock: backup\narch: amd64\n';
    expect(formatGuestConfig(parseGuestConfig(text))).toBe(
      'arch: amd64\nlock: backup\nswap: 512\n',
    );
  });
});

describe('pct config', () => {
  it('shows the description on one line and lxc.* keys last', () => {
    const config = parseGuestConfig('#line1\nlxc.apparmor.profile: unconfined\nmemory: 512\n');
    expect(formatConfigListing(config)).toBe(
      'description: line1%0A\nmemory: 512\nlxc.apparmor.profile: unconfined\n',
    );
  });
});

describe('volumeBytes', () => {
  it.each([
    ['local-zfs:subvol-101-disk-0,size=8G', 8 * 1024 ** 3],
    ['local:101/vm-101-disk-0.raw,size=512M', 512 * 1024 ** 2],
    ['local:101/x.subvol', undefined],
    [undefined, undefined],
  ])('%s → %s', (volume, bytes) => {
    expect(volumeBytes(volume)).toBe(bytes);
  });
});
