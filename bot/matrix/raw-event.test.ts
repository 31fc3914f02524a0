import { describe, expect, it } from 'vitest';
import { readRoomEvent } from './raw-event.ts';

const origin = { history: false, gap: false };
const wire = {
  event_id: '$1',
  sender: '@op:oikos.test',
  type: 'm.room.message',
  content: { msgtype: 'm.text', body: 'hi' },
  origin_server_ts: 1_700_000_000_000,
};
const read = (change: object) => readRoomEvent('!room', { ...wire, ...change }, origin);

describe('an event from the homeserver', () => {
  it('is read as it is', () => {
    expect(read({})).toEqual({
      roomId: '!room',
      eventId: '$1',
      sender: '@op:oikos.test',
      type: 'm.room.message',
      content: { msgtype: 'm.text', body: 'hi' },
      originServerTs: 1_700_000_000_000,
      history: false,
      gap: false,
    });
  });

  it('keeps its state key and what it redacts', () => {
    expect(read({ state_key: '', redacts: '$0' })).toMatchObject({ stateKey: '', redacts: '$0' });
  });

  it.each([
    ['no id', { event_id: undefined }],
    ['an empty id', { event_id: '' }],
    ['no sender', { sender: 7 }],
    ['no type', { type: null }],
  ])('with %s is none', (_what, change) => {
    expect(read(change)).toBeNull();
  });

  it.each([
    ['is not an object', 'text', {}],
    ['is a list', [1], {}],
    ['is missing', undefined, {}],
    [
      'holds what Postgres refuses',
      { 'a\0': ['b\0', { c: '\ud800' }] },
      { 'a\ufffd': ['b\ufffd', { c: '\ufffd' }] },
    ],
  ])('whose content %s stays storable', (_what, content, expected) => {
    expect(read({ content })?.content).toEqual(expected);
  });

  it('cannot make us recurse for ever', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 5_000; level += 1) deep = [deep];
    expect(JSON.stringify(read({ content: { deep } })?.content).length).toBeLessThan(200);
  });

  it.each([[-1], [1.5], [9e15], ['soon'], [Number.NaN]])(
    'with the impossible time %j is of 1970',
    (ts) => {
      expect(read({ origin_server_ts: ts })?.originServerTs).toBe(0);
    },
  );
});
