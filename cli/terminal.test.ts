import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openTerminal, QuestionInterrupted } from './terminal.ts';

function keyboard() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = new PassThrough();
  const errors = Object.assign(new PassThrough(), { isTTY: true });
  const shown = () => `${output.read() ?? ''}${errors.read() ?? ''}`;
  return { input, shown, terminal: openTerminal({ input, output, errors }) };
}

describe('the terminal', () => {
  it('does not show what is typed at a hidden question', async () => {
    const { input, shown, terminal } = keyboard();
    const answer = terminal.askHidden('Password:');
    input.write('hunter2\r');
    expect(await answer).toBe('hunter2');
    expect(shown()).toBe('Password: \n');
  });

  it('keeps the spaces of a password, not those of an answer', async () => {
    const { input, terminal } = keyboard();
    const hidden = terminal.askHidden('Password:');
    input.write(' two words \r');
    expect(await hidden).toBe(' two words ');
    const plain = terminal.ask('Sure?');
    input.write(' yes \n');
    expect(await plain).toBe('yes');
  });

  it('ends at Ctrl-C', async () => {
    const { input, terminal } = keyboard();
    const answer = terminal.askHidden('Password:');
    input.write('\u0003');
    await expect(answer).rejects.toThrow(QuestionInterrupted);
  });

  it('takes the end of input for no answer', async () => {
    const { input, terminal } = keyboard();
    const answer = terminal.ask('Sure?');
    input.end();
    expect(await answer).toBe('');
  });

  it('obeys nothing that a server put into a line', () => {
    const { shown, terminal } = keyboard();
    terminal.say('\u001b]0;title\u0007');
    expect(shown()).toBe('\\u{1b}]0;title\\u{7}\n');
  });
});
