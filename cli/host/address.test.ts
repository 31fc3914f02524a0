import { describe, expect, it } from 'vitest';
import { readAddress, slugFor } from './address.ts';

describe('readAddress', () => {
  it.each([
    ['root@pve1', { user: 'root', address: 'pve1', port: 22 }],
    ['pve1.lan', { user: 'root', address: 'pve1.lan', port: 22 }],
    ['oikos@192.0.2.10:2222', { user: 'oikos', address: '192.0.2.10', port: 2222 }],
    ['root@[2001:db8::7]:2222', { user: 'root', address: '2001:db8::7', port: 2222 }],
  ])('understands %s', (typed, at) => {
    expect(readAddress(typed)).toEqual({ ok: true, at });
  });

  it.each(['', 'root@', 'pve1:0', 'pve1:70000', 'root@pve1 -oProxyCommand=x', '-oX@pve1', 'a@b@c'])(
    'refuses %j and says how to write it',
    (typed) => {
      expect(readAddress(typed)).toMatchObject({
        ok: false,
        problem: expect.stringContaining('write it like root@pve1'),
      });
    },
  );
});

describe('slugFor', () => {
  it.each([
    ['pve1', 'host:pve1'],
    ['PVE1.lan', 'host:pve1'],
    ['192.0.2.10', undefined],
    ['2001:db8::7', undefined],
  ])('calls %s %s', (address, slug) => {
    expect(slugFor(address)).toBe(slug);
  });
});
