import { describe, expect, it } from 'vitest';
import { parseIncoming } from './incoming.ts';
import type { RawRoomEvent } from './raw-event.ts';

function event(change: Partial<RawRoomEvent>): RawRoomEvent {
  return {
    roomId: '!room',
    eventId: '$1',
    sender: '@op:oikos.test',
    type: 'm.room.message',
    content: {},
    originServerTs: 1_700_000_000_000,
    history: false,
    gap: false,
    ...change,
  };
}
const message = (content: Record<string, unknown>) =>
  parseIncoming(event({ content: { msgtype: 'm.text', body: 'yes', ...content } }));
const reply = { 'm.in_reply_to': { event_id: '$card' } };

describe('a message', () => {
  it('is text with all that it says about itself', () => {
    const content = {
      formatted_body: '<b>yes</b>',
      'm.mentions': { user_ids: ['@nomos:oikos.test'] },
    };
    expect(message(content)).toEqual({
      kind: 'text',
      roomId: '!room',
      eventId: '$1',
      sender: '@op:oikos.test',
      at: new Date(1_700_000_000_000),
      history: false,
      msgtype: 'm.text',
      body: 'yes',
      ownBody: 'yes',
      quoted: null,
      formattedBody: '<b>yes</b>',
      replyTo: null,
      threadRoot: null,
      mentions: { users: ['@nomos:oikos.test'], room: false },
    });
  });

  it('that answers a card keeps the quoted card apart from the answer', () => {
    const body = '> <@nomos:oikos.test> Say "yes" to run it\n> rm -rf /srv\n\nno\n> really';
    expect(message({ body, 'm.relates_to': reply })).toMatchObject({
      replyTo: '$card',
      ownBody: 'no\n> really',
      quoted: '<@nomos:oikos.test> Say "yes" to run it\nrm -rf /srv',
    });
  });

  it('that is no reply keeps its quotation as its own', () => {
    expect(message({ body: '> yes\n\nhm' })).toMatchObject({
      ownBody: '> yes\n\nhm',
      quoted: null,
    });
  });

  it('that only quotes says nothing of its own', () => {
    expect(message({ body: '> yes', 'm.relates_to': reply })).toMatchObject({ ownBody: '' });
  });

  it('in a thread answers the thread, not the event that its client names for older clients', () => {
    const relation = { rel_type: 'm.thread', event_id: '$root', is_falling_back: true, ...reply };
    expect(message({ 'm.relates_to': relation })).toMatchObject({
      threadRoot: '$root',
      replyTo: null,
    });
    const real = { ...relation, is_falling_back: false };
    expect(message({ 'm.relates_to': real })).toMatchObject({
      threadRoot: '$root',
      replyTo: '$card',
    });
  });

  it('that edits another is never new text', () => {
    const relation = { rel_type: 'm.replace', event_id: '$old' };
    const content = { body: '* yes', 'm.new_content': { body: 'yes' }, 'm.relates_to': relation };
    expect(message(content)).toMatchObject({ kind: 'edit', edits: '$old', body: 'yes' });
    expect(message({ 'm.relates_to': relation })).toMatchObject({ kind: 'edit', body: 'yes' });
    expect(message({ 'm.relates_to': { rel_type: 'm.replace' } })).toMatchObject({ kind: 'other' });
  });

  it('keeps its type, so that notices of other bots can be told from words', () => {
    expect(message({ msgtype: 'm.notice' })).toMatchObject({ kind: 'text', msgtype: 'm.notice' });
  });
});

describe('other events', () => {
  const relation = { rel_type: 'm.annotation', event_id: '$card', key: '👍' };
  it.each([
    [
      'a reaction',
      { type: 'm.reaction', content: { 'm.relates_to': relation } },
      { kind: 'reaction', relatesTo: '$card', key: '👍' },
    ],
    [
      'a redaction',
      { type: 'm.room.redaction', redacts: '$9', content: { reason: 'oops' } },
      { kind: 'redaction', redacts: '$9', reason: 'oops' },
    ],
    [
      'a redaction of room version 11',
      { type: 'm.room.redaction', content: { redacts: '$9' } },
      { kind: 'redaction', redacts: '$9' },
    ],
    [
      'a join',
      {
        type: 'm.room.member',
        stateKey: '@a:b',
        content: { membership: 'join', displayname: 'A' },
      },
      { kind: 'membership', user: '@a:b', membership: 'join', displayName: 'A' },
    ],
    [
      'an undecryptable message',
      { type: 'm.room.encrypted', content: { ciphertext: 'x' } },
      { kind: 'other', type: 'm.room.encrypted' },
    ],
  ])('%s', (_what, change, expected) => {
    expect(parseIncoming(event(change))).toMatchObject(expected);
  });
});

describe('hostile content', () => {
  it.each([
    ['a redacted message', {}],
    ['a body that is no text', { msgtype: 'm.text', body: ['yes'] }],
    ['no msgtype', { body: 'yes' }],
  ])('of %s is not text', (_what, content) => {
    expect(parseIncoming(event({ content })).kind).toBe('other');
  });

  it('is not text when it comes as state', () => {
    const content = { msgtype: 'm.text', body: 'yes' };
    expect(parseIncoming(event({ stateKey: '', content })).kind).toBe('other');
  });

  it.each([
    [{ rel_type: 'm.annotation', event_id: '$card' }],
    [{ rel_type: 'm.annotation', event_id: '$card', key: '' }],
    [{ rel_type: 'm.thread', event_id: '$card', key: '👍' }],
    ['text'],
    [null],
  ])('of a reaction %j is no reaction', (relation) => {
    const content = { 'm.relates_to': relation };
    expect(parseIncoming(event({ type: 'm.reaction', content })).kind).toBe('other');
  });

  it.each([
    [{ 'm.relates_to': 5 }],
    [{ 'm.relates_to': { 'm.in_reply_to': 'x', rel_type: [] } }],
    [{ 'm.mentions': { user_ids: [1], room: 'yes' } }],
    [{ formatted_body: {} }],
  ])('%j around a text leaves the text', (content) => {
    expect(message(content)).toMatchObject({ kind: 'text', body: 'yes', replyTo: null });
  });
});
