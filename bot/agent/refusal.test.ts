import { describe, expect, it } from 'vitest';
import { isRefusal } from './refusal.ts';

describe('an answer without calls', () => {
  it.each([
    ["I'm sorry, but I can't help with that.", 'restart nginx'],
    ['I cannot assist with this request.', 'restart nginx'],
    ['Es tut mir leid, aber ich kann das nicht tun.', 'starte nginx neu'],
    ['抱歉，我无法满足你的请求。', '重启 nginx'],
    ['请提供更多信息以便继续。', 'restart nginx'],
  ])('declines: %s', (answer, operator) => {
    expect(isRefusal(answer, operator)).toBe(true);
  });

  it.each([
    ['nginx is active again on lxc:web.', 'restart nginx'],
    ['Die Platte ist zu 71 % voll: größte Ordner äöü ÄÖÜ.', 'wie voll ist die Platte?'],
    ['磁盘使用率为 71%。', '磁盘满了吗？'],
    ['The file 数据 is 3 GB.', 'what is big?'],
    ['71 % ████████ ✔ ✔ ✔ → ok', 'how full?'],
    ['Диск заполнен на 71 %.', 'сколько места?'],
    [`I cannot help with that file, but ${'x'.repeat(500)}`, 'x'],
    ['The service said: "I\'m sorry, but I can\'t".', 'logs'],
    ['', 'x'],
  ])('does not decline: %s', (answer, operator) => {
    expect(isRefusal(answer, operator)).toBe(false);
  });

  it('is judged by other phrases where they are given', () => {
    expect(isRefusal('Nope.', 'x', ['nope'])).toBe(true);
  });
});
