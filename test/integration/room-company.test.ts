import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { approvalOfExecution } from '../../shared/db/approvals.ts';
import { forgetCompany, listRoom, roomById, setCompany } from '../../shared/db/rooms.ts';
import { auditEvents, turns } from '../../shared/db/schema.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { house, OPERATOR, ROOM, STRANGER, VIEWER } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';
import { BOT, exchange, says, type Talk, talk, withCard } from '../support/talk.ts';

const SEVERAL = { members: [BOT, OPERATOR, VIEWER], bridge: false };
const inThread = (root: string) => ({
  content: { 'm.relates_to': { rel_type: 'm.thread', event_id: root } },
});
const replyTo = (event: string) => ({
  content: { 'm.relates_to': { 'm.in_reply_to': { event_id: event } } },
});

async function amongSeveral(answer = 'Fine.'): Promise<Talk> {
  const t = await talk(() => says(answer));
  t.company = SEVERAL;
  return t;
}

function turnsOf(t: Talk) {
  return t.db.select().from(turns);
}

describe('in a room with several people', () => {
  it('talk among them starts nothing, and its words never reach the model', async () => {
    const t = await amongSeveral();
    expect(await exchange(t, 'did you see the game yesterday')).toEqual([]);
    expect(await exchange(t, 'it was great', { sender: VIEWER })).toEqual([]);
    expect(await turnsOf(t)).toEqual([]);
    expect(await exchange(t, 'nomos, how are you')).toEqual(['Fine.']);
    expect(JSON.stringify(t.requests)).not.toContain('game');
  });

  it('a mention, a reply to us and a thread of a task are answered', async () => {
    const t = await amongSeveral();
    expect(await exchange(t, 'look', { content: { 'm.mentions': { user_ids: [BOT] } } })).toEqual([
      'Fine.',
    ]);
    const answer = t.sent.at(-1)?.eventId ?? '';
    expect(await exchange(t, 'and now', replyTo(answer))).toEqual(['Fine.']);
    expect(await exchange(t, 'and here', inThread(answer))).toEqual(['Fine.']);
    const root = await t.say('nomos, look at this');
    await t.settled();
    expect(await exchange(t, 'first words in it', inThread(root))).toEqual([]);
    expect(await exchange(t, 'nomos, look', inThread(root))).toEqual(['Fine.']);
    expect(await exchange(t, 'further words', inThread(root))).toEqual(['Fine.']);
  });

  it('the next words after our question answer it, if nobody spoke in between', async () => {
    const t = await amongSeveral('Use port 8080?');
    await exchange(t, 'nomos, set it up');
    expect(await exchange(t, 'the other one', { sender: VIEWER })).toEqual([]);
    expect(await exchange(t, '8081 please')).toEqual([]);
    await exchange(t, 'nomos, once more');
    expect(await exchange(t, '8081 please')).toEqual(['Use port 8080?']);
    const plain = await amongSeveral('Done.');
    await exchange(plain, 'nomos, set it up');
    expect(await exchange(plain, 'lunch')).toEqual([]);
  });

  it('decisions, stop and commands count as ever', async () => {
    const t = await withCard();
    t.company = SEVERAL;
    await forgetCompany(t.db);
    expect((await exchange(t, 'perhaps yes')).join()).toBe('');
    await exchange(t, 'yes');
    expect((await t.execution(1)).status).toBe('approved');
    expect((await exchange(t, '!oikos status')).join()).toContain('Tasks: T1');
    expect((await exchange(t, 'stop')).join()).toContain('Stopped');
  });

  it('every word is for us in an ops room, with one person, and while nobody can be counted', async () => {
    const t = await amongSeveral();
    t.trouble = (what) => (what === 'company' ? new Error('fetch failed') : undefined);
    expect(await exchange(t, 'how are you')).toEqual(['Fine.']);
    t.trouble = undefined;
    expect(await exchange(t, 'how are you')).toEqual([]);
    expect(await exchange(t, '!oikos room')).toEqual([
      expect.stringContaining('I answer what mentions, names or answers me'),
    ]);
    await exchange(t, '!oikos room ops on');
    expect(await exchange(t, 'how are you')).toEqual(['Fine.']);
    await exchange(t, '!oikos room ops off');
    expect(await exchange(t, 'how are you')).toEqual([]);
    t.company = { members: [BOT, OPERATOR], bridge: false };
    await t.event({ type: 'm.room.member', sender: VIEWER, content: { membership: 'leave' } });
    expect(await exchange(t, 'how are you')).toEqual(['Fine.']);
  });
});

describe('who is in a room', () => {
  it('is not waited for at every word, where the homeserver is too slow to say it', async () => {
    const t = await talk(() => says('Fine.'));
    let asked = 0;
    t.hang = async (_room, what) => {
      if (what !== 'company') return;
      asked += 1;
      await new Promise(() => undefined);
    };
    expect(await exchange(t, 'how are you')).toEqual(['Fine.']);
    expect(await exchange(t, 'and now')).toEqual(['Fine.']);
    expect(asked).toBe(1);
  });

  it('is told once that a stranger reads along, before he has said anything', async () => {
    const t = await talk(() => says('Fine.'));
    t.company = { members: [BOT, OPERATOR, STRANGER], bridge: false };
    const lines = await exchange(t, 'nomos, how are you');
    expect(lines).toEqual([
      expect.stringContaining(`${STRANGER} is neither operator nor viewer`),
      'Fine.',
    ]);
    expect(await exchange(t, 'hello', { sender: STRANGER })).toEqual([]);
  });

  it.each([
    ['a ghost', { members: [BOT, OPERATOR, '@telegram_1:oikos.test'], bridge: false }],
    ['a bridge in its state', { members: [BOT, OPERATOR], bridge: true }],
  ])('keeps it from deciding by whatever path, while there is %s', async (_what, company) => {
    const t = await withCard();
    t.company = company;
    await t.event({ type: 'm.room.member', sender: STRANGER, content: { membership: 'join' } });
    await t.settled();
    expect(t.texts().join('\n')).toContain('nothing can be approved here');
    expect((await exchange(t, 'yes #1')).join()).toContain('comes over a bridge');
    const approval = await approvalOfExecution(t.db, (await t.execution(1)).id);
    const ask = { approvalId: approval?.id ?? '', by: OPERATOR, how: 'http' } as const;
    expect(await decide(t.decideDeps, { ...ask, decision: 'granted' })).toEqual({
      kind: 'not_here',
      why: 'somebody in this room comes over a bridge',
    });
    expect((await t.execution(1)).status).toBe('pending_approval');
    t.company = { members: [BOT, OPERATOR], bridge: false };
    await t.event({ type: 'm.room.member', sender: STRANGER, content: { membership: 'leave' } });
    await t.settled();
    await exchange(t, 'yes #1');
    expect((await t.execution(1)).status).toBe('approved');
  });

  it('lets no window serve it and asks for nothing, while a bridge is there', async () => {
    const h = await house();
    const { taskId, turnId } = await h.newTask();
    await setCompany(h.db, ROOM, { people: 2, bridged: true });
    const command = 'systemctl restart nginx';
    const ask = { taskId, turnId, callKey: 'a', target: 'lxc:web', command, purpose: '' };
    expect(await propose(h.proposeDeps, ask)).toMatchObject({
      kind: 'refused',
      reasons: [expect.stringContaining('nothing can be approved in it')],
    });
  });
});

describe('a trusted room', () => {
  it('vouches for another; one that is not trusted for none', async () => {
    const t = await talk();
    const other = '!other:oikos.test';
    await exchange(t, `!oikos room add ${other}`, { roomId: other });
    expect((await roomById(t.db, other))?.listedAt).toBeFalsy();
    await exchange(t, `!oikos room add ${other}`, { sender: VIEWER });
    expect((await roomById(t.db, other))?.listedAt).toBeFalsy();
    expect(await exchange(t, `!oikos room add ${other}`)).toEqual([
      `Decisions count in ${other} from now on.`,
    ]);
    const rows = await t.db.select().from(auditEvents).where(eq(auditEvents.kind, 'room.listed'));
    expect(rows.at(-1)).toMatchObject({ actor: OPERATOR, data: { roomId: other } });
    expect(await listRoom(t.db, testSeals, ROOM, 'the test')).toBe(false);
  });
});

describe('the lone words pause and resume', () => {
  it('pause keeps new words for later, and resume lets them through', async () => {
    const t = await talk(() => says('Fine.'));
    expect(await exchange(t, 'Pause.')).toEqual([expect.stringContaining('until you say resume')]);
    await t.say('how are you');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(t.requests).toEqual([]);
    expect(await exchange(t, 'nomos, resume')).toEqual(['I go on.', 'Fine.']);
  });

  it('pause is also a wait: it closes windows and leaves cards open', async () => {
    const t = await withCard();
    await exchange(t, 'yes');
    await t.runs(1);
    await t.settled();
    expect((await exchange(t, 'pause')).join('\n')).toContain(
      'Your earlier yes covers nothing more',
    );
  });

  it('resume is no yes in a room that is paused, and pause is none anywhere', async () => {
    const t = await withCard();
    await exchange(t, 'pause');
    expect((await t.execution(1)).status).toBe('pending_approval');
    expect(await exchange(t, 'resume')).toEqual(['I go on.']);
    expect((await t.execution(1)).status).toBe('pending_approval');
    await exchange(t, 'yes #1');
    expect((await t.execution(1)).status).toBe('approved');
  });

  it('counts from nobody but an operator', async () => {
    const t = await talk(() => says('Fine.'));
    await exchange(t, 'pause', { sender: VIEWER });
    await exchange(t, 'pause', { sender: STRANGER });
    expect((await roomById(t.db, ROOM))?.pausedAt ?? null).toBeNull();
  });
});
