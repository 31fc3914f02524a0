import { describe, expect, it } from 'vitest';
import { orderRoomEvents, readSync } from './sync-response.ts';

const us = '@nomos:oikos.test';
const said = (id: string) => ({
  event_id: id,
  sender: '@op:oikos.test',
  type: 'm.room.message',
  content: { body: id },
  origin_server_ts: 1,
});
const joined = (id: string, before?: string) => ({
  ...said(id),
  type: 'm.room.member',
  sender: us,
  state_key: us,
  content: { membership: 'join' },
  unsigned: before === undefined ? {} : { prev_content: { membership: before } },
});

describe('the answer of a sync', () => {
  it('is read into rooms, gaps and invites', () => {
    const invite = {
      type: 'm.room.member',
      state_key: us,
      sender: '@op:oikos.test',
      content: { membership: 'invite' },
    };
    const batch = readSync(
      {
        next_batch: 's2',
        rooms: {
          join: { '!a': { timeline: { events: [said('$1')], limited: true, prev_batch: 'p1' } } },
          invite: { '!b': { invite_state: { events: [invite] } }, '!c': {} },
        },
      },
      us,
    );
    expect(batch).toEqual({
      nextToken: 's2',
      rooms: [{ roomId: '!a', timeline: [said('$1')], gapFrom: 'p1', state: [] }],
      invites: [{ roomId: '!b', inviter: '@op:oikos.test' }],
    });
  });

  it('has no gap where the server left nothing out', () => {
    const timeline = { events: [], limited: false, prev_batch: 'p1' };
    const batch = readSync({ next_batch: 's', rooms: { join: { '!a': { timeline } } } }, us);
    expect(batch.rooms[0]?.gapFrom).toBeNull();
  });

  it.each([[{}], [null], [{ next_batch: '' }], ['<html>']])('%j is not one', (raw) => {
    expect(() => readSync(raw, us)).toThrow();
  });

  it.each([
    ['rooms that are a list', { next_batch: 's', rooms: [] }],
    ['a room that is a number', { next_batch: 's', rooms: { join: { '!a': 7 } } }],
    ['a timeline that is text', { next_batch: 's', rooms: { join: { '!a': { timeline: 'x' } } } }],
  ])('survives %s', (_what, raw) => {
    expect(readSync(raw, us).rooms.flatMap(({ timeline }) => timeline)).toEqual([]);
  });
});

describe('the events of a room', () => {
  const order = (timeline: unknown[], change: { gap?: unknown[]; firstSync?: boolean } = {}) =>
    orderRoomEvents(
      { roomId: '!a', timeline },
      { gap: [], firstSync: false, ourUserId: us, ...change },
    ).map(
      ({ eventId, history, gap }) => `${eventId}${history ? ' history' : ''}${gap ? ' gap' : ''}`,
    );

  it('put the gap before what the sync brought', () => {
    expect(order([said('$3')], { gap: [said('$1'), said('$2')] })).toEqual([
      '$1 gap',
      '$2 gap',
      '$3',
    ]);
  });

  it('are history in a first sync', () => {
    expect(order([said('$1')], { firstSync: true })).toEqual(['$1 history']);
  });

  it('are history when they were said before we came', () => {
    expect(order([said('$1'), joined('$2', 'invite'), said('$3')])).toEqual([
      '$1 history',
      '$2',
      '$3',
    ]);
  });

  it('are history up to the last time we came', () => {
    const wires = [joined('$1'), said('$2'), joined('$3', 'leave'), said('$4')];
    expect(order(wires)).toEqual(['$1 history', '$2 history', '$3', '$4']);
  });

  it('stay alive when somebody only changed a name, which itself is history', () => {
    expect(order([said('$1'), joined('$2', 'join')])).toEqual(['$1', '$2 history']);
  });

  it('leave out what is no event', () => {
    expect(order(['text', said('$1'), null])).toEqual(['$1']);
  });
});
