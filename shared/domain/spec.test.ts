import { expect, it } from 'vitest';
import { specHash } from '../spec-hash.ts';
import { specText } from './spec.ts';

const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const lab = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;

const absent = { path: '/srv/x.sh', use: 'runs it', state: 'absent' } as const;

it('makes any difference in place, shell, command, guests or files a different request', () => {
  const specs = [
    specText(web, 'bash', 'id'),
    specText({ ...web, vmid: 102 }, 'bash', 'id'),
    specText({ ...web, host: 'host:other' }, 'bash', 'id'),
    specText({ ...web, name: 'other' }, 'bash', 'id'),
    specText(web, 'posix', 'id'),
    specText(web, 'bash', 'id '),
    specText(lab, 'bash', 'id'),
    specText(lab, 'bash', 'id', [{ key: 'lxc/135', slug: 'lxc:web', name: 'web' }]),
    specText(lab, 'bash', 'id', [{ key: 'lxc/135', slug: 'lxc:db', name: 'db' }]),
    specText(lab, 'bash', 'id', [], { files: [], lists: [] }),
    specText(lab, 'bash', 'id', [], { files: [absent], lists: [] }),
    specText(lab, 'bash', 'id', [], { files: [{ ...absent, in: 'lxc/101' }], lists: [] }),
  ];
  expect(new Set(specs).size).toBe(specs.length);
});

it('hashes the same request to the same 64 hex digits', () => {
  expect(specHash(lab, 'bash', 'id')).toMatch(/^[0-9a-f]{64}$/);
  expect(specHash(lab, 'bash', 'id')).toBe(specHash(lab, 'bash', 'id'));
});
