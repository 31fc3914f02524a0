import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  write(createLog({ level: 'info', name: 'test', secrets: ['hunter22'], destination }));
  return JSON.parse(lines.join(''));
}

describe('the log', () => {
  it('hides known secrets in messages, fields and errors', () => {
    const line = logged((log) =>
      log.info({ url: 'redis://:hunter22@x', err: new Error('bad hunter22') }, 'used hunter22'),
    );
    expect(JSON.stringify(line)).not.toContain('hunter22');
    expect(line).toMatchObject({ msg: 'used [hidden]', url: 'redis://:[hidden]@x' });
  });

  it('hides fields that are named like secrets, at any depth', () => {
    const line = logged((log) =>
      log.info({ a: { accessToken: 'x', password: 'y', key: 'z' } }, 'm'),
    );
    expect(line['a']).toEqual({ accessToken: '[hidden]', password: '[hidden]', key: '[hidden]' });
  });

  it('shows control characters from outside instead of obeying them', () => {
    const line = logged((log) => log.info({ out: 'a\u001b[2Jb' }, 'said \u202e'));
    expect(line).toMatchObject({ out: 'a\\u{1b}[2Jb', msg: 'said \\u{202e}' });
  });
});
