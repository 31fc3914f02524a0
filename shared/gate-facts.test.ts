import { describe, expect, it } from 'vitest';
import type { FleetEntity } from './db/entities.ts';
import { DEFAULT_SETTINGS, type GateSettings } from './db/gate-settings.ts';
import type { Target } from './domain/target.ts';
import { classify } from './gate/classify.ts';
import { settingsHash } from './gate/policy.ts';
import { factsOf, type GateGround } from './gate-facts.ts';

const lab: Target = { kind: 'host', slug: 'host:lab', name: 'lab' };
const attic: Target = { kind: 'host', slug: 'host:attic', name: 'attic' };
const nas: Target = { kind: 'lxc', slug: 'lxc:nas', name: 'nas', host: 'host:lab', vmid: 110 };

type Attributes = Partial<FleetEntity['attributes']>;
const entity = (slug: string, attributes: Attributes = {}, state = 'active'): FleetEntity => {
  const [type = '', name = ''] = slug.split(':');
  return { type, slug, name, state, attributes: { site: 'home', ...attributes } };
};
const hosts = [entity('host:lab', { shell: 'bash' }), entity('host:attic')];

interface House {
  readonly entities?: readonly FleetEntity[];
  readonly floors?: GateSettings['floors'];
  readonly self?: Partial<GateSettings['self']>;
  readonly ownFolders?: readonly string[];
}
const ground = ({ entities, floors = {}, self = {}, ownFolders = [] }: House): GateGround => {
  const all = entities ?? [...hosts, entity('lxc:nas', { host: 'lab', vmid: 110 })];
  const settings = { ...DEFAULT_SETTINGS, floors, self: { ...DEFAULT_SETTINGS.self, ...self } };
  return {
    entities: all,
    fleet: all.filter(({ state }) => state !== 'gone'),
    settings,
    ownFolders,
  };
};

describe('the shell', () => {
  it.each([
    ['is the learnt one', lab, 'bash'],
    ['is plain sh until it is learnt', attic, 'posix'],
    ['is plain sh where the fleet knows nothing', { ...lab, slug: 'host:x' }, 'posix'],
  ])('%s', (_claim, target, shell) => {
    expect(factsOf(target, ground({})).shell).toBe(shell);
  });
});

describe('floors', () => {
  const onFile = { host: 'lab', vmid: 110, floor: 'config_mutation' } as const;
  const gone = [...hosts, entity('lxc:nas', { host: 'lab', vmid: 110 }, 'gone')];
  const twin = [
    ...hosts,
    entity('lxc:nas', { host: 'lab', vmid: 110 }),
    entity('lxc:other', { host: 'attic', vmid: 110 }),
  ];
  const cases: [string, House, Target, object][] = [
    ['none', {}, nas, {}],
    [
      'the operator’s, on the guest',
      { floors: { 'lxc:nas': 'destructive' } },
      nas,
      { floor: 'destructive' },
    ],
    [
      'the operator’s, by the guest’s id',
      { floors: { 'lxc/110': 'destructive' } },
      nas,
      { floor: 'destructive' },
    ],
    [
      'fleet.yaml’s',
      { entities: [...hosts, entity('lxc:nas', onFile)] },
      nas,
      { floor: 'config_mutation' },
    ],
    [
      'the stricter of both',
      { entities: [...hosts, entity('lxc:nas', onFile)], floors: { 'lxc:nas': 'destructive' } },
      nas,
      { floor: 'destructive' },
    ],
    [
      'a guest’s, seen from its host',
      { floors: { 'lxc:nas': 'destructive' } },
      lab,
      { floors: { 'lxc/110': 'destructive' } },
    ],
    [
      'a guest’s, seen from another node',
      { floors: { 'lxc:nas': 'destructive' } },
      attic,
      { floors: { 'lxc/110': 'destructive' } },
    ],
    [
      'not of a namesake of another host',
      { entities: twin, floors: { 'lxc:nas': 'destructive' } },
      attic,
      {},
    ],
    [
      'of a guest that fleet.yaml lists no longer',
      { entities: gone, floors: { 'lxc:nas': 'destructive' } },
      lab,
      { floors: { 'lxc/110': 'destructive' } },
    ],
    [
      'of a guest that nobody listed',
      { floors: { 'lxc/140': 'destructive' } },
      lab,
      { floors: { 'lxc/140': 'destructive' } },
    ],
    [
      'of the guest that Oikos lives in',
      { self: { slugs: ['lxc:nas'] } },
      lab,
      { floors: { 'lxc/110': 'destructive' } },
    ],
    ['a host’s, which is not its guests’', { floors: { 'host:lab': 'destructive' } }, nas, {}],
    ['a host’s own', { floors: { 'host:lab': 'destructive' } }, lab, { floor: 'destructive' }],
  ];
  it.each(cases)('%s', (_claim, house, target, expected) => {
    const { floor, floors } = factsOf(target, ground(house));
    expect({ ...(floor && { floor }), ...(floors && { floors }) }).toEqual(expected);
  });

  it('also hold for a command whose reach nobody can tell', () => {
    const facts = factsOf(lab, ground({ floors: { 'lxc:nas': 'destructive' } }));
    const judge = (command: string) => classify({ command, facts });
    expect(judge('curl -fsSL https://get.docker.com | sh')).toMatchObject({
      risk: 'destructive',
      touches: 'unknown',
    });
    expect(judge('systemctl restart nginx').risk).toBe('config_mutation');
    expect(judge('pct list | tail -1').risk).toBe('read_only');
  });
});

describe('what is Oikos’s own', () => {
  it('is its guest by id on the host, and each change inside it', () => {
    const house = ground({ self: { slugs: ['lxc:nas'] } });
    expect(factsOf(lab, house).self?.slugs).toEqual(['lxc/110']);
    expect(factsOf(nas, house).isSelf).toBe(true);
    expect(factsOf(lab, house).isSelf).toBe(false);
  });

  it('is where its processes live, whatever was said beside', () => {
    const judge = (house: House, command: string) =>
      classify({ command, facts: factsOf(lab, ground(house)) }).risk;
    const ownFolders = ['/srv/steward'];
    for (const self of [{}, { paths: ['/srv/db'] }]) {
      expect(judge({ ownFolders, self }, 'touch /srv/steward/.env')).toBe('destructive');
    }
    expect(judge({}, 'touch /srv/steward/.env')).toBe('config_mutation');
    expect(judge({}, 'touch /opt/oikos/x')).toBe('destructive');
  });
});

it('folders that guests may write make reading there a question', () => {
  const entities = [entity('host:lab', { shell: 'bash', guestWritable: ['/tank/media'] })];
  const facts = factsOf(lab, ground({ entities }));
  expect(classify({ command: 'cat /tank/media/x.nfo', facts }).risk).toBe('config_mutation');
  expect(classify({ command: 'ls -l /tank/media', facts }).risk).toBe('read_only');
});

it('the hash names the settings of that place', () => {
  const hash = (target: Target, house: House) =>
    settingsHash(DEFAULT_SETTINGS.policy, factsOf(target, ground(house)));
  const floors = { 'lxc:nas': 'destructive' } as const;
  expect(hash(nas, {})).toBe(hash(nas, {}));
  expect(hash(nas, { floors })).not.toBe(hash(nas, {}));
  expect(hash(lab, { self: { units: ['synapse'] } })).not.toBe(hash(lab, {}));
});
