import { describe, expect, it } from 'vitest';
import { classify } from '../gate/classify.ts';
import { BASH_FACTS } from '../gate/facts.ts';
import type { GateResult } from './gate-result.ts';
import {
  MATCHES_PLACEHOLDER,
  objectsOf,
  phraseFor,
  shownObject,
  TARGET_PLACEHOLDER,
} from './objects.ts';

const lab = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const gate = (more: Partial<GateResult>): GateResult => ({
  risk: 'destructive',
  parts: [],
  flags: [],
  touches: [],
  policyVersion: '1',
  ...more,
});

describe('objectsOf', () => {
  it.each([
    ['a guest on its host', { touches: ['lxc/135'] }, lab, ['lxc/135@host:lab']],
    ['one guest named twice', { touches: ['lxc/135', 'lxc/135'] }, lab, ['lxc/135@host:lab']],
    [
      'the guest that is named',
      { touches: ['lxc/135'], confirm: { verb: 'destroy', object: '135' } },
      lab,
      ['lxc/135@host:lab'],
    ],
    [
      'a VM that is named',
      { touches: ['vm/200'], confirm: { verb: 'destroy', object: '200' } },
      lab,
      ['vm/200@host:lab'],
    ],
    [
      'a path in a guest, from its host: not the guest itself',
      { touches: ['lxc/135'], confirm: { verb: 'rm', object: '/srv' } },
      lab,
      ['/srv@lxc/135@host:lab'],
    ],
    [
      'two guests',
      { touches: ['lxc/135', 'lxc/136'], confirm: { verb: 'destroy', object: '135' } },
      lab,
      ['lxc/135@host:lab', 'lxc/136@host:lab'],
    ],
    ['a path in a guest', { confirm: { verb: 'rm', object: '/srv' } }, web, ['/srv@lxc:web']],
    [
      'the guest itself',
      { confirm: { verb: 'reboot', object: '@target' } },
      web,
      ['lxc/101@host:lab'],
    ],
    [
      'a guest, by a deed that names no thing in it',
      { touches: ['lxc/135'], confirm: { verb: 'prune', object: '@target', within: 'abc' } },
      lab,
      ['lxc/135@host:lab #abc'],
    ],
    ['a whole host', { confirm: { verb: 'reboot', object: '@target' } }, lab, []],
    ['something without a name', {}, lab, []],
    ['what a pattern matches', { confirm: { verb: 'rm', object: '@matches' } }, web, null],
    ['an unknown reach', { touches: 'unknown' }, lab, null],
  ] as const)('%s', (_case, more, target, objects) => {
    expect(objectsOf(gate(more), target)).toEqual(objects);
  });
});

describe('a yes covers its own object alone', () => {
  const keysOf = (command: string): readonly string[] => {
    const judged = classify({ command, facts: BASH_FACTS });
    const keys = objectsOf(judged, lab);
    return (keys ?? []).map((key) => `${judged.confirm?.verb} ${key}`);
  };

  it.each([
    ['cd /srv/tmp && rm -rf data', 'cd /srv/db && rm -rf data'],
    ['rm -rf data', 'cd /srv/db && rm -rf data'],
    ['docker volume rm data', 'rm -rf data'],
    ['docker volume rm data', 'docker network rm data'],
    ['docker volume rm data', 'docker -H tcp://nas volume rm data'],
    ['docker volume rm data', 'DOCKER_HOST=tcp://nas docker volume rm data'],
    ['docker volume rm data', 'export DOCKER_HOST=tcp://nas; docker volume rm data'],
    ['docker volume rm data', 'docker context use nas && docker volume rm data'],
    ['docker exec web rm -rf /srv/x', 'rm -rf /srv/x'],
    ['docker exec web rm -rf /srv/x', 'docker exec db rm -rf /srv/x'],
    ['chroot /mnt rm -rf /srv/x', 'rm -rf /srv/x'],
    ['docker exec web sh -c ": > /srv/x"', ': > /srv/x'],
    ['kubectl --context staging delete ns media', 'kubectl --context prod delete ns media'],
    ['kubectl delete ns media', 'kubectl delete pvc media'],
    ['kubectl delete ns media', 'KUBECONFIG=/x kubectl delete ns media'],
    ['git -C /srv/a branch -D x', 'git -C /srv/b branch -D x'],
    ['cd /srv/a && git branch -D x', 'cd /srv/b && git branch -D x'],
    ['docker compose rm -sv x', 'docker -H tcp://nas compose rm -sv x'],
    ['redis-cli del k', 'redis-cli -h 10.0.0.6 del k'],
    ['redis-cli -h 10.0.0.6 del k', 'redis-cli -n 3 del k'],
    ['helm -n prod uninstall x', 'helm -n test uninstall x'],
    ['virsh undefine x', 'virsh -c qemu+ssh://nas/system undefine x'],
    ['qm set 100 --delete unused0', 'qm set 101 --delete unused0'],
    ['find /srv/a -name x -delete', 'find /srv/a -delete'],
  ])('%s is not %s', (first, second) => {
    const [one] = keysOf(first);
    expect(one).toBeDefined();
    expect(keysOf(second)).not.toContain(one);
    expect(keysOf(first)).toEqual([one]);
  });

  it.each([
    ['rm -r /srv/x', 'rm -rf /srv/x'],
    ['docker volume rm data', 'docker volume rm -f data'],
    ['cd /srv && rm -r x', 'rm -rf /srv/x'],
    ['zfs destroy -r tank/x', 'zfs destroy tank/x'],
    ['pct destroy 135', 'pct destroy 135 --purge 1'],
  ])('%s is %s', (first, second) => {
    expect(keysOf(second)).toEqual(keysOf(first));
  });

  it('of a whole place is for that deed', () => {
    const inWeb = (command: string) => objectsOf(classify({ command, facts: BASH_FACTS }), web);
    expect(inWeb('reboot')).toEqual(['lxc/101@host:lab']);
    expect(inWeb('git -C /srv/a reset --hard')).not.toEqual(inWeb('git -C /srv/b reset --hard'));
    expect(inWeb('docker volume prune -f')).not.toEqual(inWeb('docker system prune -f'));
  });

  it('is shown without what tells it apart', () => {
    const [key = ''] = keysOf('docker volume rm data');
    expect(key).toMatch(/ #[0-9a-f]{12}$/);
    expect(shownObject(key)).toBe('rm data@host:lab');
    expect(shownObject('lxc/135@host:lab')).toBe('lxc/135@host:lab');
  });
});

describe('phraseFor', () => {
  it('puts the target’s own name into the phrase', () => {
    const confirm = { verb: 'reboot', object: TARGET_PLACEHOLDER };
    expect(phraseFor(gate({ confirm }), lab)).toEqual({ verb: 'reboot', object: 'lab' });
  });

  it.each([
    [1, '1 file'],
    [14, '14 files'],
  ])('names how many a pattern matches: %d', (matches, object) => {
    const confirm = { verb: 'rm', object: MATCHES_PLACEHOLDER };
    expect(phraseFor(gate({ confirm }), lab, matches)).toEqual({ verb: 'rm', object });
  });

  it('keeps a literal object, and has none where the gate has none', () => {
    const confirm = { verb: 'destroy', object: '135' };
    expect(phraseFor(gate({ confirm }), lab)).toEqual(confirm);
    expect(phraseFor(gate({}), lab)).toBeNull();
  });
});
