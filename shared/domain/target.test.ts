import { describe, expect, it } from 'vitest';
import { describeTarget, hostOf, hostSlug, resolveTarget, type TargetEntity } from './target.ts';

const host = (name: string): TargetEntity => ({
  type: 'host',
  slug: `host:${name}`,
  name,
  attributes: {},
});
const guest = (slug: string, vmid: number | undefined, on: string | undefined): TargetEntity => ({
  type: slug.split(':')[0] ?? '',
  slug,
  name: slug.split(':')[1]?.split('@')[0] ?? '',
  attributes: { host: on, vmid },
});
const fleet = [
  host('strong'),
  host('weak'),
  guest('lxc:web', 101, 'host:strong'),
  guest('lxc:dns', 102, 'strong'),
  guest('vm:nas', 200, 'weak'),
  guest('lxc:web@host:weak', 103, 'weak'),
  { type: 'task', slug: 'task:t1', name: 'strong', attributes: {} },
];

describe('resolveTarget', () => {
  it.each([
    ['host:strong', 'host:strong'],
    ['HOST:Strong ', 'host:strong'],
    ['strong', 'host:strong'],
    ['lxc:dns', 'lxc:dns'],
    ['nas', 'vm:nas'],
    ['102', 'lxc:dns'],
    ['lxc:web', 'lxc:web'],
  ])('finds %s as %s', (written, slug) => {
    expect(resolveTarget(written, fleet)).toMatchObject({ ok: true, target: { slug } });
  });

  it('gives a guest its host with the prefix, whether or not the data has it', () => {
    const wanted = { kind: 'lxc', slug: 'lxc:dns', name: 'dns', host: 'host:strong', vmid: 102 };
    expect(resolveTarget('lxc:dns', fleet)).toEqual({ ok: true, target: wanted });
    expect(resolveTarget('vm:nas', fleet)).toMatchObject({
      target: { kind: 'vm', host: 'host:weak' },
    });
  });

  it('refuses a bare name that two guests share, and names both', () => {
    const refused = resolveTarget('web', fleet);
    expect(refused.ok ? '' : refused.reason).toContain('lxc:web, lxc:web@host:weak');
  });

  it('refuses a guest that was found to be another machine', () => {
    const web = guest('lxc:web', 101, 'strong');
    const attributes = { ...web.attributes, mistaken: '101 is VM nas' };
    expect(resolveTarget('lxc:web', [host('strong'), { ...web, attributes }])).toEqual({
      ok: false,
      reason: 'lxc:web is not what fleet.yaml says: 101 is VM nas; correct it there',
    });
  });

  it('lists what there is when nothing fits', () => {
    const refused = resolveTarget('lxc:nope', fleet);
    expect(refused.ok ? '' : refused.reason).toContain('host:strong, host:weak, lxc:dns');
    expect(resolveTarget('x', [])).toEqual({
      ok: false,
      reason: 'no target "x": the fleet is empty (is the daemon running?)',
    });
  });

  it('shortens a long list', () => {
    const many = Array.from({ length: 60 }, (_, n) => host(`h${n}`));
    const refused = resolveTarget('nope', many);
    expect(refused.ok ? '' : refused.reason).toMatch(/, …$/);
  });

  it('refuses a guest whose place is not recorded or not in the fleet', () => {
    const lost = [guest('lxc:lost', undefined, undefined), guest('lxc:gone', 7, 'nowhere')];
    expect(resolveTarget('lxc:lost', lost)).toMatchObject({ ok: false });
    const gone = resolveTarget('lxc:gone', lost);
    expect(gone.ok ? '' : gone.reason).toContain('host:nowhere');
  });
});

it('names the machine whose SSH is asked, and the guest in full', () => {
  const web = {
    kind: 'lxc',
    slug: 'lxc:web',
    name: 'web',
    host: 'host:strong',
    vmid: 101,
  } as const;
  expect(hostOf(web)).toBe('host:strong');
  expect(hostOf({ kind: 'host', slug: 'host:weak', name: 'weak' })).toBe('host:weak');
  expect(hostSlug('strong')).toBe('host:strong');
  expect(describeTarget(web)).toBe('lxc:web (CT 101 "web" on host:strong)');
  expect(describeTarget({ ...web, kind: 'vm' })).toContain('VM 101');
  expect(describeTarget({ kind: 'host', slug: 'host:weak', name: 'weak' })).toBe('host:weak');
});
