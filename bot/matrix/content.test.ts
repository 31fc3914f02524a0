import { describe, expect, it } from 'vitest';
import { editOf, fitsInMessage, inReplyTo, inThread, type MessageContent } from './content.ts';

const hello: MessageContent = { msgtype: 'm.text', body: 'hello' };

describe('what we send', () => {
  it('goes into a thread, for older clients as an answer to its root', () => {
    expect(inThread(hello, '$root')['m.relates_to']).toEqual({
      rel_type: 'm.thread',
      event_id: '$root',
      is_falling_back: true,
      'm.in_reply_to': { event_id: '$root' },
    });
  });

  it('can answer one message of a thread', () => {
    expect(inThread(hello, '$root', '$m')['m.relates_to']).toMatchObject({
      is_falling_back: false,
      'm.in_reply_to': { event_id: '$m' },
    });
  });

  it('can answer a message', () => {
    expect(inReplyTo(hello, '$m')).toEqual({
      ...hello,
      'm.relates_to': { 'm.in_reply_to': { event_id: '$m' } },
    });
  });

  it('is edited as a whole, without its relation and without ringing anybody', () => {
    const card: MessageContent = {
      ...inThread(hello, '$root'),
      'm.mentions': { user_ids: ['@op:oikos.test'] },
      'io.oikos.card': { v: 1 },
    };
    expect(editOf('$card', card)).toEqual({
      msgtype: 'm.text',
      body: '* hello',
      'm.new_content': {
        ...hello,
        'm.mentions': { user_ids: ['@op:oikos.test'] },
        'io.oikos.card': { v: 1 },
      },
      'm.mentions': {},
      'm.relates_to': { rel_type: 'm.replace', event_id: '$card' },
    });
  });

  it.each([
    ['a short text', hello, true],
    ['31 KiB', { ...hello, body: 'x'.repeat(31 * 1024) }, false],
    [
      '20 KiB of text and as much HTML',
      { ...hello, body: 'x'.repeat(20_480), formatted_body: 'x'.repeat(20_480) },
      false,
    ],
    [
      '16 KiB of line feeds, which JSON writes double',
      { ...hello, body: '\n'.repeat(16_384) },
      false,
    ],
  ])('of %s: fits into an event: %#', (_what, content, fits) => {
    expect(fitsInMessage(content)).toBe(fits);
  });

  it('still fits into an event of 64 KiB when the longest message is edited', () => {
    const longest: MessageContent = { ...hello, body: 'x'.repeat(30 * 1024 - 40) };
    expect(fitsInMessage(longest)).toBe(true);
    expect(JSON.stringify(editOf('$e', longest)).length).toBeLessThan(62 * 1024);
  });
});
