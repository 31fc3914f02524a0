import { describe, expect, it } from 'vitest';
import type { TimelineItem } from '../console/timeline.ts';
import { createPaint, wantsColour } from './paint.ts';
import { cardNumber, isOpenCard, type RenderOptions, renderItem } from './render.ts';
import { displayWidth } from './width.ts';

const BOT = '@nomos:x';

function message(over: Partial<TimelineItem>): TimelineItem {
  return {
    roomId: '!r:x',
    eventId: '$1',
    sender: BOT,
    at: 0,
    msgtype: 'm.text',
    body: '',
    formattedBody: null,
    content: {},
    edits: 0,
    redacted: false,
    replyTo: null,
    threadRoot: null,
    reactions: [],
    ...over,
  };
}

const WAITING = `#1 needs your yes: systemctl restart nginx on lxc:web
Class: config_mutation (changes how something runs).
On lxc:web (CT 101 "web" on host:lab), asked by @you:x.
\`\`\`
systemctl restart nginx
\`\`\`
Say yes or go ahead, react 👍, or reply; no or 👎 denies.`;
const DONE = `#1 completed (exit 0, 0.4 s): systemctl restart nginx on lxc:web
Approved by @you:x in words at 12:00, 1 Dec (UTC).
Class: config_mutation (changes how something runs).
\`\`\`
systemctl restart nginx
\`\`\`
Output:
\`\`\`
all good
\`\`\``;
const card = (body: string) => message({ body, content: { 'io.oikos.card': { number: 1 } } });

function shown(item: TimelineItem, over: Partial<RenderOptions> = {}): readonly string[] {
  return renderItem(item, {
    columns: 60,
    paint: createPaint(false),
    nameOf: (sender) => (sender === BOT ? 'nomos' : 'you'),
    botId: BOT,
    ...over,
  });
}

describe('a message in the terminal', () => {
  it('is its writer’s name and the text below', () => {
    expect(shown(message({ sender: '@you:x', body: 'how full?' }))).toEqual([
      'you',
      '  how full?',
      '',
    ]);
  });

  it('cannot control the terminal', () => {
    const lines = shown(message({ body: 'a\x1b[2Jb\x07\u202ec' })).join('\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(lines).not.toMatch(/[\x1b\x07\u202e]/);
  });

  it('shows progress as it is, without a name', () => {
    const content = { 'io.oikos.ref': { task: 't', kind: 'progress' } };
    const body = '✓ run on host:lab: df -h (0.2 s)';
    expect(shown(message({ msgtype: 'm.notice', body, content }))).toEqual([body, '']);
  });

  it('that was deleted says so', () => {
    expect(shown(message({ redacted: true }))).toEqual(['(deleted)', '']);
  });

  it('shows who reacted, but not the buttons of the bot', () => {
    const reactions = [
      { eventId: '$a', sender: BOT, key: '👎' },
      { eventId: '$b', sender: '@you:x', key: '👍' },
    ];
    expect(shown(message({ body: 'x', reactions })).at(-2)).toBe('  👍 you');
  });
});

describe('a card in the terminal', () => {
  it('is a box with class, command and what to say', () => {
    const lines = shown(card(WAITING), { columns: 70 });
    expect(lines[0]).toMatch(/^┌─+┐$/);
    expect(lines.at(-2)).toMatch(/^└─+┘$/);
    const text = lines.join('\n');
    for (const part of [
      '#1 needs your yes',
      'config_mutation',
      '│ systemctl restart nginx',
      'react 👍',
    ])
      expect(text).toContain(part);
  });

  it.each([20, 40, 60, 80, 200])('is straight and fits into %i columns', (columns) => {
    const widths = shown(card(WAITING), { columns }).slice(0, -1).map(displayWidth);
    expect(new Set(widths).size).toBe(1);
    expect(widths[0]).toBeLessThanOrEqual(columns);
  });

  it('that is over is told in short', () => {
    const text = shown(card(DONE)).join('\n');
    expect(text).toContain('completed (exit 0');
    expect(text).toContain('Approved by @you:x in words');
    expect(text).toContain('all good');
    expect(text).not.toContain('Class:');
  });

  it('has its colour, unless none is wanted', () => {
    const red = shown(card(WAITING.replace('needs your yes', 'DESTROYS')), {
      paint: createPaint(true),
    });
    expect(red[0]).toContain('\x1b[31m');
    expect(shown(card(WAITING)).join('')).not.toContain('\x1b');
  });

  it('is no card when somebody else sends one', () => {
    const forged = { ...card(WAITING), sender: '@eve:x' };
    expect(cardNumber(forged, BOT)).toBeUndefined();
    expect(shown(forged)[0]).toBe('you');
  });

  it('waits only while its first line asks', () => {
    expect(isOpenCard(card(WAITING), BOT)).toBe(true);
    expect(isOpenCard(card(DONE), BOT)).toBe(false);
  });
});

describe('colours', () => {
  it.each([
    ['a terminal', {}, false, true],
    ['NO_COLOR', { NO_COLOR: '1' }, false, false],
    ['an empty NO_COLOR', { NO_COLOR: '' }, false, true],
    ['--no-color', {}, true, false],
    ['a dumb terminal', { TERM: 'dumb' }, false, false],
  ])('with %s', (_claim, env, noColourFlag, wanted) => {
    expect(wantsColour({ env, noColourFlag })).toBe(wanted);
  });
});
