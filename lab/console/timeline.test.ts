import { expect, it } from 'vitest';
import { createTimeline } from './timeline.ts';

const event = (event_id: string, type: string, content: object, extra: object = {}) => ({
  event_id,
  type,
  content,
  sender: '@nomos:oikos.test',
  origin_server_ts: 5,
  ...extra,
});
const message = (id: string, body: string) =>
  event(id, 'm.room.message', { msgtype: 'm.text', body });
const edit = (id: string, of: string, body: string) =>
  event(id, 'm.room.message', {
    body: `* ${body}`,
    'm.new_content': { msgtype: 'm.text', body },
    'm.relates_to': { rel_type: 'm.replace', event_id: of },
  });
const reaction = (id: string, to: string, key: string) =>
  event(id, 'm.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: to, key } });

function timelineOf(...events: object[]) {
  const timeline = createTimeline('!r');
  for (const one of events) timeline.apply(one);
  return timeline.items();
}

it('shows a message with its latest edit and its reactions', () => {
  const shown = timelineOf(
    message('$1', 'waiting'),
    reaction('$2', '$1', '👍'),
    edit('$3', '$1', 'done'),
  );
  expect(shown).toMatchObject([
    { eventId: '$1', body: 'done', edits: 1, reactions: [{ eventId: '$2', key: '👍' }] },
  ]);
});

it('shows an event once that two syncs bring', () => {
  expect(timelineOf(message('$1', 'a'), message('$1', 'a'))).toHaveLength(1);
});

it('does not believe an edit by somebody else', () => {
  const forged = { ...edit('$2', '$1', 'approved'), sender: '@eve:oikos.test' };
  expect(timelineOf(message('$1', 'waiting'), forged)).toMatchObject([
    { body: 'waiting', edits: 0 },
  ]);
});

it('takes back reactions and messages', () => {
  const shown = timelineOf(
    message('$1', 'a'),
    reaction('$2', '$1', '👍'),
    event('$3', 'm.room.redaction', {}, { redacts: '$2' }),
    message('$4', 'b'),
    event('$5', 'm.room.redaction', { redacts: '$4' }),
  );
  expect(shown).toMatchObject([
    { body: 'a', reactions: [], redacted: false },
    { body: '', redacted: true },
  ]);
});

it('tells a thread from an answer', () => {
  const thread = {
    rel_type: 'm.thread',
    event_id: '$0',
    is_falling_back: true,
    'm.in_reply_to': { event_id: '$0' },
  };
  const answer = { 'm.in_reply_to': { event_id: '$0' } };
  const shown = timelineOf(
    event('$1', 'm.room.message', { body: 'a', 'm.relates_to': thread }),
    event('$2', 'm.room.message', { body: 'b', 'm.relates_to': answer }),
  );
  expect(shown).toMatchObject([
    { threadRoot: '$0', replyTo: null },
    { threadRoot: null, replyTo: '$0' },
  ]);
});
