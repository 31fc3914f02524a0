import { describe, expect, it } from 'vitest';
import { bindingOf, type RoomMessage } from './binding.ts';

const card = { approvalId: 'a', taskId: 't', shownSeq: 10 };
const message = (seq: number, more: Partial<RoomMessage>): RoomMessage => ({
  seq,
  sender: '@op:x',
  fromUs: false,
  edit: false,
  kind: 'speech',
  approvals: [],
  ...more,
});
const ours = (seq: number, more: Partial<RoomMessage>) =>
  message(seq, { sender: '@bot:x', fromUs: true, taskId: 't', ...more });
const bind = (messages: RoomMessage[], open = ['a', 'b']) =>
  bindingOf(card, '@op:x', messages, new Set(open));

describe('bindingOf', () => {
  it.each([
    ['nothing between', [], { bound: true, last: true }],
    ['the speaker’s own words between', [message(11, {})], { bound: true, last: true }],
    ['another person between', [message(11, { sender: '@two:x' })], { bound: false, last: false }],
    ['an answer of ours between', [ours(11, { kind: 'answer' })], { bound: false, last: false }],
    ['a progress line between', [ours(11, { kind: 'progress' })], { bound: true, last: false }],
    ['an edit between', [ours(11, { kind: 'answer', edit: true })], { bound: true, last: true }],
    ['an answer before the card', [ours(9, { kind: 'answer' })], { bound: true, last: true }],
    [
      'a second card of the same task',
      [ours(11, { kind: 'card', approvals: ['b'] })],
      { bound: true, last: true },
    ],
    [
      'an open card of another task',
      [ours(11, { kind: 'card', taskId: 'u', approvals: ['b'] })],
      { bound: false, last: false },
    ],
    [
      'a card of another task that is decided',
      [ours(11, { kind: 'card', taskId: 'u', approvals: ['c'] })],
      { bound: true, last: false },
    ],
  ])('with %s', (_case, messages, expected) => {
    expect(bind(messages)).toEqual(expected);
  });
});
