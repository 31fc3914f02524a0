import { describe, expect, it } from 'vitest';
import { type FoundGuest, nameGuests, readGuests } from './found-guests.ts';

const listed = (more: object = {}) => ({
  id: 'lxc/101',
  type: 'lxc',
  vmid: 101,
  node: 'pve1',
  name: 'web',
  status: 'running',
  template: 0,
  cpu: 0.01,
  ...more,
});
const found = (more: Partial<FoundGuest> = {}): FoundGuest => ({
  kind: 'lxc',
  vmid: 101,
  node: 'pve1',
  name: 'web',
  status: 'running',
  ...more,
});

describe('readGuests', () => {
  it('reads containers and virtual machines by id, without templates and other resources', () => {
    const json = JSON.stringify([
      listed({ type: 'qemu', vmid: '200', name: 'win' }),
      listed(),
      listed({ vmid: 900, template: 1 }),
      { type: 'network', node: 'pve1' },
    ]);
    expect(readGuests(json)).toEqual([found(), found({ kind: 'vm', vmid: 200, name: 'win' })]);
  });

  it.each(['', '<html>', '{"data":[]}'])('does not take %j for a list', (text) => {
    expect(readGuests(text)).toBeUndefined();
  });
});

describe('nameGuests', () => {
  const slugs = (guests: readonly FoundGuest[], taken: readonly string[] = []) =>
    nameGuests(guests, 'host:pve1', new Set(taken)).guests.map(({ slug }) => slug);

  it('keeps the name as Proxmox has it, and makes the slug lower-case', () => {
    expect(nameGuests([found({ name: 'Web' })], 'host:pve1', new Set()).guests).toEqual([
      { slug: 'lxc:web', host: 'host:pve1', vmid: 101, kind: 'lxc', name: 'Web' },
    ]);
  });

  it('adds the host to a name that another host has', () => {
    expect(slugs([found()], ['lxc:web'])).toEqual(['lxc:web@pve1']);
  });

  it('adds the id where this host has the name twice', () => {
    const three = [found(), found({ vmid: 102 }), found({ vmid: 103 })];
    expect(slugs(three)).toEqual(['lxc:web', 'lxc:web@pve1', 'lxc:web-103@pve1']);
  });

  it('lists no guest without a usable name, and says which', () => {
    const odd = [found({ name: undefined }), found({ vmid: 102, name: 'a b; rm' })];
    expect(nameGuests(odd, 'host:pve1', new Set())).toEqual({
      guests: [],
      left: ['CT 101 has no name', 'CT 102 has the name a b; rm'],
    });
  });
});
