import { describe, expect, it } from 'vitest';
import { answerLine } from './classify.ts';

const answer = (line: object) => answerLine(JSON.stringify(line));

describe('oikos classify --jsonl', () => {
  it('answers a look', () => {
    expect(answer({ command: 'df -h' })).toEqual({
      risk_class: 'read_only',
      reasons: ['df: shows how full filesystems are'],
      flags: [],
      touches: [],
    });
  });

  it('writes guests as slugs and gives the sentence to type', () => {
    expect(answer({ command: 'pct destroy 135' })).toMatchObject({
      risk_class: 'destructive',
      touches: ['lxc:135'],
      confirm: 'destroy 135',
    });
  });

  it('fills in the name of the target, and leaves the sentence out without one', () => {
    expect(answer({ command: 'reboot', target: 'host:pve1' })).toMatchObject({
      confirm: 'reboot pve1',
    });
    expect(answer({ command: 'reboot' })).not.toHaveProperty('confirm');
  });

  it('lets a declared risk only raise the class', () => {
    expect(answer({ command: 'ls', declared_risk: 'config_mutation' })).toMatchObject({
      risk_class: 'config_mutation',
    });
    expect(answer({ command: 'rm x', declared_risk: 'read_only' })).toMatchObject({
      risk_class: 'destructive',
    });
  });

  it.each([
    '',
    'no json',
    '{}',
    '{"command":1}',
    '{"command":"ls","x":1}',
    '{"command":"ls","target":"pve"}',
  ])('answers an error to %s', (line) => {
    expect(answerLine(line)).toEqual({ error: expect.any(String) });
  });
});
