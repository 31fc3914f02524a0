import { describe, expect, it } from 'vitest';
import { type Fleet, parseFleet } from '../../daemon/fleet.ts';
import { planHost } from './plan-host.ts';

const PIN = `SHA256:${'C'.repeat(43)}`;

function fleet(...hosts: readonly object[]): Fleet {
  const parsed = parseFleet(JSON.stringify({ hosts }));
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.fleet;
}

const strong = { slug: 'strong', address: '192.0.2.10', key_file: 'k', host_key: PIN };
const wishes = { keyFile: '/k', site: 'home', sudo: false };

describe('planHost', () => {
  it('plans a new host without a key', () => {
    expect(planHost('root@pve1.lan:2222', wishes, fleet(strong))).toEqual({
      kind: 'new',
      host: {
        slug: 'host:pve1',
        address: 'pve1.lan',
        port: 2222,
        user: 'root',
        keyFile: '/k',
        passphraseFile: undefined,
        hostKey: undefined,
        jump: undefined,
        site: 'home',
        sudo: false,
      },
    });
  });

  it('finds the host that is there already, whatever it would be called now', () => {
    expect(planHost('root@192.0.2.10', { ...wishes, slug: 'other' }, fleet(strong))).toMatchObject({
      kind: 'known',
      host: { slug: 'host:strong', hostKey: PIN },
    });
  });

  it('takes the same address behind a jump host for another machine', () => {
    const behind = { ...wishes, slug: 'far', jump: 'strong' };
    expect(planHost('192.0.2.10', behind, fleet(strong))).toMatchObject({
      kind: 'new',
      host: { slug: 'host:far', jump: 'host:strong' },
    });
  });

  it.each([
    ['192.0.2.11', {}, 'is an address, not a name: say what to call it'],
    ['strong.lan', {}, 'fleet.yaml has host:strong already, at 192.0.2.10:22'],
    ['pve1', { slug: 'Pve One' }, '--slug host:Pve One must be lower-case'],
    ['pve1', { site: '../x' }, '--site ../x must be lower-case'],
    ['pve1', { jump: 'nowhere' }, '--jump host:nowhere is not in fleet.yaml'],
    ['pve1', { jump: 'loose' }, 'the key of host:loose is not pinned'],
    ['pve1:99999', {}, 'is no address'],
  ])('refuses %s with %o', (typed, more, problem) => {
    const loose = { slug: 'loose', address: '192.0.2.20', key_file: 'k' };
    expect(planHost(typed, { ...wishes, ...more }, fleet(strong, loose))).toEqual({
      kind: 'refused',
      problem: expect.stringContaining(problem),
    });
  });
});
