import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../shared/db/gate-settings.ts';
import { checkLine } from '../check.ts';
import { gateChecks } from '../doctor/gate.ts';
import { settingsLines } from './show.ts';

const guest = (name: string, more: object = {}) => ({
  type: 'lxc',
  slug: `lxc:${name}`,
  name,
  state: 'active',
  attributes: { site: 'home', host: 'lab', vmid: 101, ...more },
});
const house = (more: object, ...entities: ReturnType<typeof guest>[]) => ({
  entities,
  fleet: entities,
  settings: { ...DEFAULT_SETTINGS, ...more },
  ownFolders: ['/opt/oikos'],
});

it('all settings are shown, what is changed and what names nothing', () => {
  const more = {
    policy: { ...DEFAULT_SETTINGS.policy, git: false },
    floors: { 'lxc:nas': 'destructive' as const },
    self: { ...DEFAULT_SETTINGS.self, units: ['synapse'] },
  };
  const floor = 'config_mutation' as const;
  expect(settingsLines(house(more, guest('web', { floor })))).toEqual([
    'Judgement calls',
    '  strictSubstitution: off',
    '  git: off  (changed)',
    '  rowData: off',
    '  trustedInstallers: https://get.docker.com',
    '  scratchFolders: empty',
    "Oikos's own (where nothing is said, its usual names count)",
    '  slugs: none said',
    '  paths: none said',
    '  units: synapse',
    '  addresses: none said',
    '  /opt/oikos  (a process of Oikos lives there)',
    'Floors (the stricter of two holds)',
    '  lxc:nas: destructive  (not in the fleet: a misnomer?)',
    '  lxc:web: config_mutation  (fleet.yaml)',
  ]);
});

const inNas = { self: { ...DEFAULT_SETTINGS.self, slugs: ['lxc:nas'] } };
it.each([
  ['says nothing of a house in order', house(inNas, guest('nas')), ['✓ Oikos lives in lxc:nas']],
  [
    'asks where Oikos lives',
    house({}, guest('web')),
    [
      expect.stringMatching(
        /^· nobody has said in which guest Oikos lives.*lxc:…, if it lives in one$/,
      ),
    ],
  ],
  [
    'suggests the guest that looks like it',
    house({}, guest('web'), guest('home', { looksOwn: true })),
    [expect.stringMatching(/lxc:home has the name or an address.*policy self add slug lxc:home$/)],
  ],
  [
    'names what the fleet does not have',
    house(inNas, guest('web')),
    ['✓ Oikos lives in lxc:nas', expect.stringMatching(/^· the gate's settings name lxc:nas/)],
  ],
])('the doctor %s', (_claim, ground, lines) => {
  expect(gateChecks(ground).map(checkLine)).toEqual(lines);
});
