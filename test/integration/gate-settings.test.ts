import { asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { policyChanges } from '../../cli/policy/changes.ts';
import { claimStart } from '../../daemon/claim.ts';
import { GateSettingsBroken, readGateSettings } from '../../shared/db/gate-settings.ts';
import { registerOwnFolders } from '../../shared/db/own-places.ts';
import { approvals, auditEvents, entities, gateSettings, outbox } from '../../shared/db/schema.ts';
import { decide } from '../../shared/decide.ts';
import { type ProposeAnswer, propose } from '../../shared/propose.ts';
import { testClaimer } from '../support/claimer.ts';
import { callKey, type House, house, OPERATOR, ROOM, warmUp } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';

const ACTOR = 'cli:op';
const CLAIMER = testClaimer();
const RESTART = 'systemctl restart nginx';

type Place = Awaited<ReturnType<House['newTask']>>;

function ask(h: House, place: Place, command: string, target = 'lxc:web') {
  return propose(h.proposeDeps, { ...place, callKey: callKey(), target, command, purpose: '' });
}

async function approvalOf(h: House, answer: ProposeAnswer) {
  if (answer.kind !== 'waiting') throw new Error(`expected a card, got ${answer.kind}`);
  const { id } = answer.execution;
  const [row] = await h.db.select().from(approvals).where(eq(approvals.executionId, id));
  if (!row) throw new Error('no approval row');
  return row;
}

/** A card, and an operator's plain yes to it. */
async function saidYes(h: House, place: Place, command: string, target?: string) {
  const answer = await ask(h, place, command, target);
  const { id: approvalId, executionId } = await approvalOf(h, answer);
  const words = { by: OPERATOR, how: 'words', words: 'yes' } as const;
  await decide(h.decideDeps, { approvalId, decision: 'granted', ...words });
  return executionId;
}

describe('a protected guest', () => {
  it('asks for the typed sentence, inside and from its host, until it is unprotected', async () => {
    const h = await house();
    const { protect, unprotect } = policyChanges(h.db, testSeals, ACTOR);
    const place = await h.newTask();
    await protect('web', 'destructive');
    const inside = await approvalOf(h, await ask(h, place, RESTART));
    expect(inside).toMatchObject({ phraseVerb: 'change', phraseObject: 'web' });
    const outside = await ask(h, place, 'pct reboot 101', 'host:lab');
    expect(await approvalOf(h, outside)).toMatchObject({
      phraseVerb: 'change',
      phraseObject: '101',
      phraseAliases: ['lxc:101'],
    });
    expect(await ask(h, place, 'df -h')).toMatchObject({ kind: 'started' });
    expect(await ask(h, place, 'pct reboot 102', 'host:lab')).toMatchObject({
      execution: { risk: 'config_mutation' },
    });

    await h.db.update(entities).set({ state: 'gone' }).where(eq(entities.slug, 'lxc:web'));
    const unlisted = await ask(h, place, 'pct stop 101', 'host:lab');
    expect(unlisted).toMatchObject({ kind: 'waiting', execution: { risk: 'destructive' } });
    await h.db.update(entities).set({ state: 'active' });

    await unprotect('lxc:web');
    const other = await h.newTask();
    expect(await approvalOf(h, await ask(h, other, RESTART))).toMatchObject({ phraseVerb: null });
  });
});

it('what touches Oikos itself is destructive, also while a window is open', async () => {
  const h = await house();
  await registerOwnFolders(h.db, 'bot', ['/srv/steward']);
  const place = await h.newTask();
  await saidYes(h, place, RESTART);
  const turn = { ...place, turnId: await h.newTurn(place.taskId) };
  expect(await ask(h, turn, 'systemctl restart cron')).toMatchObject({ kind: 'started' });
  const own = await ask(h, turn, 'touch /srv/steward/.env');
  expect(await approvalOf(h, own)).toMatchObject({ phraseVerb: 'change', phraseObject: 'web' });
  for (const command of [
    'oikos policy unprotect lxc:nas',
    'psql -c "update gate_settings set value = 1"',
    'psql -c "update standing_rules set daily_cap = 999"',
  ]) {
    const answer = await ask(h, turn, command);
    expect(answer).toMatchObject({
      execution: { risk: 'destructive', gate: { flags: expect.arrayContaining(['self']) } },
    });
  }
});

describe('the daemon goes by the settings of the moment', () => {
  it('and refuses what a floor has raised since the yes, leaving both verdicts in the ledger', async () => {
    const h = await house();
    const id = await saidYes(h, await h.newTask(), RESTART);
    await policyChanges(h.db, testSeals, ACTOR).protect('lxc:web', 'destructive');
    expect(await claimStart(h.db, id, CLAIMER, null)).toMatchObject({
      kind: 'ended',
      row: {
        status: 'refused',
        reason: 'it counts as destructive now, but was judged config_mutation',
      },
    });
    const [proposed, ...later] = await ledger(h, id);
    expect(proposed?.data).toMatchObject({
      risk: 'config_mutation',
      policyVersion: expect.stringMatching(/\d/),
    });
    const refused = later.at(-1);
    expect(refused).toMatchObject({
      kind: 'execution.refused',
      data: { judgedAgain: { risk: 'destructive', settingsHash: expect.any(String) } },
    });
    expect(JSON.stringify(refused?.data)).not.toContain(String(proposed?.data['settingsHash']));
  });

  it('and starts what they leave as it was, with its second verdict in the ledger', async () => {
    const h = await house();
    const id = await saidYes(h, await h.newTask(), RESTART);
    await policyChanges(h.db, testSeals, ACTOR).protect('lxc:dns', 'destructive');
    expect(await claimStart(h.db, id, CLAIMER, null)).toMatchObject({ kind: 'start' });
    expect((await ledger(h, id)).at(-1)).toMatchObject({
      kind: 'execution.claimed',
      data: { judgedAgain: { risk: 'config_mutation', flags: [] } },
    });
  });

  it('and refuses a look that a judgement call has made a question', async () => {
    const h = await house();
    const answer = await ask(h, await h.newTask(), 'git log -3');
    if (answer.kind !== 'started') throw new Error(answer.kind);
    await policyChanges(h.db, testSeals, ACTOR).setPolicy('git', ['off']);
    const claimed = await claimStart(h.db, answer.execution.id, CLAIMER, null);
    expect(claimed).toMatchObject({ kind: 'ended', row: { status: 'refused' } });
    expect(await ask(h, await h.newTask(), 'git log -3')).toMatchObject({ kind: 'waiting' });
  });

  it('and starts nothing by settings that no version of ours wrote', async () => {
    const h = await house();
    const id = await saidYes(h, await h.newTask(), RESTART);
    const row = { key: 'floors' as const, value: { 'lxc:web': 'harmless' }, updatedBy: 'x' };
    await h.db.insert(gateSettings).values({ ...row, updatedAt: new Date() });
    await expect(claimStart(h.db, id, CLAIMER, null)).rejects.toThrow(GateSettingsBroken);
    await expect(ask(h, await h.newTask(), 'df -h')).rejects.toThrow(GateSettingsBroken);
  });
});

describe('a change of the settings', () => {
  it('is in the ledger with old and new value, and told in the rooms', async () => {
    const h = await house();
    await ask(h, await h.newTask(), RESTART);
    const changes = policyChanges(h.db, testSeals, ACTOR);
    await changes.setPolicy('scratchfolders', ['/srv/scratch']);
    expect(await changes.setPolicy('scratchFolders', ['/srv/scratch'])).toEqual({
      changed: false,
      line: 'scratchFolders is /srv/scratch already.',
    });
    await changes.resetPolicy('scratchFolders');
    const events = await h.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'gate.setting_changed'))
      .orderBy(asc(auditEvents.seq));
    expect(events).toMatchObject([
      {
        actor: ACTOR,
        data: {
          key: 'policy',
          old: { scratchFolders: [] },
          new: { scratchFolders: ['/srv/scratch'] },
        },
      },
      { data: { old: { scratchFolders: ['/srv/scratch'] }, new: { scratchFolders: [] } } },
    ]);
    const told = await h.db.select().from(outbox).where(eq(outbox.type, 'room.say'));
    expect(told.map(({ roomId, data }) => [roomId, data['text']])).toEqual([
      [ROOM, 'Gate settings, changed by cli:op: scratchFolders is /srv/scratch now.'],
      [ROOM, 'Gate settings, changed by cli:op: scratchFolders is empty now.'],
    ]);
  });

  it('takes turns with others: none is lost', async () => {
    const h = await house();
    const { protect } = policyChanges(h.db, testSeals, ACTOR);
    const names = Array.from({ length: 8 }, (_none, index) => `lxc/${200 + index}`);
    await warmUp(h.db, names.length);
    await Promise.all(names.map((name) => protect(name, 'destructive')));
    expect(Object.keys((await readGateSettings(h.db)).floors).toSorted()).toEqual(names);
  });

  it.each([
    ['an unknown setting', 'gti', ['on'], /no setting "gti"; there are: strictSubstitution/],
    ['a value that is neither', 'git', ['maybe'], /git is on or off/],
    ['two values', 'git', ['on', 'off'], /git is on or off/],
    ['the root as a scratch folder', 'scratchFolders', ['/'], /./],
  ])('is refused for %s', async (_claim, name, values, why) => {
    const h = await house();
    const change = async () => policyChanges(h.db, testSeals, ACTOR).setPolicy(name, values);
    await expect(change).rejects.toThrow(why);
    expect(await h.db.select().from(gateSettings)).toEqual([]);
  });

  it('names places as the fleet does, and refuses misnomers', async () => {
    const h = await house();
    const { protect, addSelf } = policyChanges(h.db, testSeals, ACTOR);
    await protect('101', 'destructive');
    await addSelf('slug', 'dns');
    await addSelf('slug', 'lxc/140');
    await expect(protect('lxc:wbe', 'destructive')).rejects.toThrow(/no target "lxc:wbe"/);
    await expect(addSelf('path', '/')).rejects.toThrow(GateSettingsBroken);
    await expect(addSelf('path', '/srv/../etc')).rejects.toThrow(GateSettingsBroken);
    await expect(addSelf('address', 'a b')).rejects.toThrow(GateSettingsBroken);
    expect(await readGateSettings(h.db)).toMatchObject({
      floors: { 'lxc:web': 'destructive' },
      self: { slugs: ['lxc:dns', 'lxc/140'] },
    });
  });

  it('of what is Oikos’s own keeps its usual names until they are taken away', async () => {
    const h = await house();
    const { addSelf, removeSelf } = policyChanges(h.db, testSeals, ACTOR);
    await addSelf('unit', 'synapse');
    const own = (await readGateSettings(h.db)).self.units;
    expect(own).toEqual(['oikos', 'oikos-bot', 'oikos-daemon', 'synapse']);
    const risks = async () => {
      const place = await h.newTask();
      const units = ['oikos-daemon', 'synapse'];
      const answers = units.map((unit) => ask(h, place, `systemctl restart ${unit}`));
      return (await Promise.all(answers)).map((one) => 'execution' in one && one.execution.risk);
    };
    expect(await risks()).toEqual(['destructive', 'destructive']);
    await removeSelf('unit', 'oikos-daemon');
    expect(await risks()).toEqual(['config_mutation', 'destructive']);
  });
});

function ledger(h: House, executionId: string) {
  return h.db
    .select()
    .from(auditEvents)
    .where(eq(auditEvents.executionId, executionId))
    .orderBy(asc(auditEvents.seq));
}
