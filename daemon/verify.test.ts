import { describe, expect, it } from 'vitest';
import type { FleetEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import { DEFAULT_SETTINGS, type GateSettings } from '../shared/db/gate-settings.ts';
import type { RiskClass } from '../shared/domain/risk.ts';
import type { Window } from '../shared/domain/window.ts';
import { classify } from '../shared/gate/classify.ts';
import type { GateGround } from '../shared/gate-facts.ts';
import { createSealer } from '../shared/seal.ts';
import {
  decisionContent,
  executionContent,
  targetContent,
  windowContent,
} from '../shared/sealed.ts';
import { specHash } from '../shared/spec-hash.ts';
import type { DecisionProof, WindowProof } from './seals.ts';
import { type StartFacts, type StartProof, verifyStart } from './verify.ts';

const now = new Date('2026-06-01T12:00:00Z');
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const target = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:lab', vmid: 101 } as const;
const seals = createSealer([{ id: 'k1', secret: Buffer.alloc(32, 7) }]);
const place: Omit<FleetEntity, 'seal'> = {
  type: 'lxc',
  slug: 'lxc:web',
  name: 'web',
  state: 'active',
  attributes: { host: 'lab', vmid: 101, site: 'home', shell: 'bash' },
};
const entity: FleetEntity = { ...place, seal: seals.seal('target', targetContent(place)) };
const ids = {
  approval: '0b0f5a40-0000-4000-8000-00000000000a',
  window: '0b0f5a40-0000-4000-8000-00000000000b',
};
const approval = { id: ids.approval, executionId: 'e1', status: 'granted' } as const;
const bareWindow: Window & WindowProof = {
  id: ids.window,
  kind: 'assent',
  key: 'k',
  openedBy: '@op:x',
  approvalId: ids.approval,
  seal: null,
  agent: 'nomos',
  taskId: 't1',
  object: null,
  verb: null,
  openedAt: minutes(-10),
  expiresAt: minutes(20),
  revokedAt: null,
  coversSeq: 0,
};
const window = { ...bareWindow, seal: seals.seal('window', windowContent(bareWindow)) };

function row(command: string, more: Partial<ExecutionRow> = {}): ExecutionRow {
  const gate = classify({ command, facts: { shell: 'bash', targetKind: 'lxc' } });
  const made: ExecutionRow = {
    id: 'e1',
    number: 7,
    roomId: '!r',
    taskId: 't1',
    turnId: null,
    callKey: 'k',
    batchId: null,
    onlyAsk: false,
    agent: 'nomos',
    requestedBy: '@op:x',
    status: 'approved',
    targetKind: 'lxc',
    targetSlug: 'lxc:web',
    targetName: 'web',
    hostSlug: 'host:lab',
    vmid: 101,
    dialect: 'bash',
    command,
    guests: [],
    facts: null,
    specHash: specHash(target, 'bash', command),
    purpose: '',
    provenance: null,
    declaredRisk: null,
    risk: gate.risk,
    gate,
    authorization: { kind: 'approval', approvalId: ids.approval },
    timeLimitMs: 60_000,
    site: 'home',
    seal: null,
    proposedAt: minutes(-5),
    approvedAt: minutes(-4),
    notBefore: null,
    notAfter: minutes(11),
    startedAt: null,
    endedAt: null,
    exitCode: null,
    signal: null,
    reason: null,
    outputBytes: 0,
    outputCut: false,
    cancelRequestedAt: null,
    cancelRequestedBy: null,
    owner: null,
    leaseUntil: null,
    unreachableSince: null,
    quietSince: null,
    seenInTurn: null,
    cardEvent: null,
    bootBefore: null,
    ...more,
  };
  return { ...made, seal: seals.seal('execution', executionContent(made)) };
}

/** A command on a host, which is its own place. */
function onHost(more: Partial<ExecutionRow> = {}): ExecutionRow {
  const lab = { kind: 'host', slug: 'host:lab', name: 'lab' } as const;
  const place = { targetKind: lab.kind, targetSlug: lab.slug, targetName: lab.name, vmid: null };
  const command = 'systemctl restart nginx';
  return row(command, { ...place, specHash: specHash(lab, 'bash', command), ...more });
}

/** The operator's yes to that row. */
function yesTo(execution: ExecutionRow): DecisionProof {
  const said = {
    approvalId: ids.approval,
    decision: 'granted',
    by: '@op:x',
    how: 'words',
    eventId: '$yes',
    at: minutes(-4),
  } as const;
  return { ...said, seal: seals.seal('decision', decisionContent(said, execution)) };
}

const groundOf = (
  entities: readonly FleetEntity[],
  more: Partial<GateGround> = {},
): GateGround => ({
  entities,
  fleet: entities,
  settings: DEFAULT_SETTINGS,
  ownFolders: [],
  ...more,
});
const withEntities = (...entities: FleetEntity[]) => ({ ...facts, ground: groundOf(entities) });
const withAttributes = (more: Partial<FleetEntity['attributes']>) =>
  withEntities({ ...entity, attributes: { ...entity.attributes, ...more } });
const withSettings = (settings: Partial<GateSettings>) => ({
  ...facts,
  ground: groundOf([entity], { settings: { ...DEFAULT_SETTINGS, ...settings } }),
});
const SELF = DEFAULT_SETTINGS.self;
const facts: StartFacts = {
  ground: groundOf([entity]),
  hostKnown: true,
  settledBefore: false,
  settingsTrouble: undefined,
  clockTrouble: undefined,
  seals,
};
const restart = 'systemctl restart nginx';
const underWindow = { authorization: { kind: 'window', windowId: ids.window } } as const;

describe('a start is allowed', () => {
  it.each([
    ['by its approval', row(restart), { approval, decision: yesTo(row(restart)) }],
    ['by its window', row(restart, underWindow), { window }],
    ['because it only reads', row('uptime', { authorization: { kind: 'read_only' } }), {}],
  ])('%s', (_claim, execution, proof) => {
    expect(verifyStart(execution, facts, proof, now)).toMatchObject({ kind: 'start' });
  });
});

describe('a start is refused', () => {
  const refusals: [string, ExecutionRow, StartProof, RegExp][] = [
    [
      'for a changed command',
      row(restart, { command: 'reboot' }),
      { approval },
      /not what was judged/,
    ],
    [
      'for a changed shell',
      row(restart, { dialect: 'posix' }),
      { approval },
      /not what was judged/,
    ],
    ['for a changed vmid', row(restart, { vmid: 102 }), { approval }, /not what was judged/],
    [
      'on another host of ours than its target',
      onHost({ hostSlug: 'host:nas' }),
      { approval },
      /not what was judged/,
    ],
    [
      'when the class rose',
      row(restart, { risk: 'read_only' as RiskClass }),
      { approval },
      /^it counts as \w+ now, but was judged read_only$/,
    ],
    ['without authorization', row(restart, { authorization: null }), {}, /nothing says/],
    [
      'by read_only for what changes',
      row(restart, { authorization: { kind: 'read_only' } }),
      {},
      /needs an approval/,
    ],
    ['without its approval', row(restart), {}, /approval is not there/],
    [
      'by the approval of another execution',
      row(restart),
      { approval: { ...approval, executionId: 'e2' } },
      /approval is not there/,
    ],
    [
      'by another approval',
      row(restart),
      { approval: { ...approval, id: 'a2' } },
      /approval is not there/,
    ],
    [
      'by an approval that was taken back',
      row(restart),
      { approval: { ...approval, status: 'revoked' } },
      /taken back/,
    ],
    ['by a window that is not there', row(restart, underWindow), {}, /does not exist/],
    [
      'by a revoked window',
      row(restart, underWindow),
      { window: { ...window, revokedAt: now } },
      /is closed/,
    ],
    [
      'by a window that ended',
      row(restart, underWindow),
      { window: { ...window, expiresAt: now } },
      /is closed/,
    ],
    [
      'by a window opened later',
      row(restart, underWindow),
      { window: { ...window, openedAt: minutes(-1) } },
      /before the window opened/,
    ],
    [
      "by another task's window",
      row(restart, underWindow),
      { window: { ...window, taskId: 't2' } },
      /does not cover/,
    ],
    [
      "by another agent's window",
      row(restart, underWindow),
      { window: { ...window, agent: 'other' } },
      /does not cover/,
    ],
    [
      'by an assent window for a destruction',
      row('rm -rf /srv/media', underWindow),
      { window },
      /does not cover/,
    ],
  ];
  it.each(refusals)('%s', (_claim, execution, proof, reason) => {
    expect(verifyStart(execution, facts, proof, now)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    });
  });

  it.each([
    ['the host is unknown', { ...facts, hostKnown: false }, /not in the daemon's fleet file/],
    ['the target is gone', withEntities(), /no longer in the fleet/],
    ['the guest moved', withAttributes({ host: 'attic' }), /another machine/],
    ['the name now belongs to another guest', withAttributes({ vmid: 102 }), /another machine/],
    ['the shell is not the judged one', withAttributes({ shell: 'posix' }), /has no bash/],
  ])('when %s', (_claim, changed, reason) => {
    expect(verifyStart(row(restart), changed, { approval }, now)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    });
  });

  const stricterHouses: [string, StartFacts][] = [
    ['fleet.yaml has given it a floor', withAttributes({ floor: 'destructive' })],
    ['the operator protects it', withSettings({ floors: { 'lxc:web': 'destructive' } })],
    ['it became Oikos’s own guest', withSettings({ self: { ...SELF, slugs: ['lxc:web'] } })],
    ['its unit became Oikos’s own', withSettings({ self: { ...SELF, units: ['nginx'] } })],
  ];
  it.each(stricterHouses)('when meanwhile %s, and tells what it counts as', (_claim, house) => {
    expect(verifyStart(row(restart), house, { approval }, now)).toMatchObject({
      kind: 'refused',
      reason: 'it counts as destructive now, but was judged config_mutation',
      present: { risk: 'destructive' },
    });
  });

  it('when a setting made it more than a look', () => {
    const look = row('git log -3', { authorization: { kind: 'read_only' } });
    const house = withSettings({ policy: { ...DEFAULT_SETTINGS.policy, git: false } });
    expect(verifyStart(look, facts, {}, now)).toMatchObject({ kind: 'start' });
    expect(verifyStart(look, house, {}, now)).toMatchObject({ kind: 'refused' });
  });
});

describe('a start is refused for what Oikos has not sealed:', () => {
  const proof = { approval, decision: yesTo(row(restart)) };
  const cases: [string, ExecutionRow, Partial<typeof facts>, StartProof, RegExp][] = [
    ['the row', { ...row(restart), seal: null }, {}, proof, /not written by Oikos/],
    [
      'a later start',
      { ...row(restart), notAfter: minutes(30) },
      {},
      proof,
      /not written by Oikos/,
    ],
    ['a longer run', { ...row(restart), timeLimitMs: 90_000 }, {}, proof, /not written by Oikos/],
    [
      'the authorization',
      { ...row(restart), ...underWindow },
      {},
      { window },
      /not written by Oikos/,
    ],
    ['the yes', row(restart), {}, { approval }, /no operator's word/],
    [
      'whose yes it was',
      row(restart),
      {},
      { approval, decision: { ...proof.decision, by: '@other:x' } },
      /no operator's word/,
    ],
    [
      'a no that is called a yes',
      row(restart),
      {},
      { approval, decision: { ...proof.decision, decision: 'denied' } },
      /no operator's word/,
    ],
    [
      'the yes to another command',
      row(restart),
      {},
      { approval, decision: yesTo(row('systemctl stop nginx')) },
      /no operator's word/,
    ],
    ['the window', row(restart, underWindow), {}, { window: bareWindow }, /not opened by Oikos/],
    [
      'a longer window',
      row(restart, underWindow),
      {},
      { window: { ...window, expiresAt: minutes(60) } },
      /not opened by Oikos/,
    ],
    [
      'the target of a read',
      row('uptime', { authorization: { kind: 'read_only' } }),
      withEntities({ ...entity, seal: null }),
      {},
      /not in the fleet as the daemon wrote it/,
    ],
    [
      'the seal of another kind',
      { ...row(restart), seal: window.seal },
      {},
      proof,
      /not written by Oikos/,
    ],
    [
      'the seal of a key that is gone',
      { ...row(restart), seal: (row(restart).seal ?? '').replace('k1', 'k0') },
      {},
      proof,
      /not written by Oikos/,
    ],
  ];
  it.each(cases)('%s', (_claim, execution, more, given, reason) => {
    expect(verifyStart(execution, { ...facts, ...more }, given, now)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(reason),
    });
  });

  it('and for what was started or called off before', () => {
    const verdict = verifyStart(row(restart), { ...facts, settledBefore: true }, proof, now);
    expect(verdict).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/nothing starts twice/),
    });
  });
});

it.each([
  ['its time is over', minutes(0)],
  ['it has no time', null],
])('does not start when %s', (_claim, notAfter) => {
  const verdict = verifyStart(row(restart, { notAfter }), facts, { approval }, now);
  expect(verdict.kind).toBe('expired');
});
