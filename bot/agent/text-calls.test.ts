import { describe, expect, it } from 'vitest';
import { callsInText } from './text-calls.ts';

const known = new Set(['run', 'list_entities']);
const found = (text: string): unknown =>
  callsInText(text, known).map(({ name, args }) => [name, args]);

describe('a call printed as text', () => {
  it.each([
    ['bare', '{"name":"list_entities","arguments":{}}', [['list_entities', '{}']]],
    [
      'in a code block',
      '```json\n{\n "name": "run",\n "arguments": {"command": "df -h"}\n}\n```',
      [['run', '{"command":"df -h"}']],
    ],
    [
      'twice in tags',
      '<tool_call>\n{"name":"run","arguments":{"command":"a"}}\n</tool_call>\n<tool_call>{"name":"list_entities","parameters":{}}</tool_call>',
      [
        ['run', '{"command":"a"}'],
        ['list_entities', '{}'],
      ],
    ],
    [
      'with braces in a string',
      '{"name":"run","arguments":{"command":"echo \\"}\\" {x"}}',
      [['run', '{"command":"echo \\"}\\" {x"}']],
    ],
  ])('%s is taken', (_how, text, calls) => {
    expect(found(text)).toEqual(calls);
  });

  it.each([
    ['quoted in a sentence', 'I would do this: {"name":"run","arguments":{}}'],
    ['followed by words', '{"name":"run","arguments":{}} is what I would do'],
    ['of an unknown tool', '{"name":"rm","arguments":{}}'],
    ['without arguments', '{"name":"run"}'],
    ['cut short', '{"name":"run","arguments":{'],
    ['that is no JSON', '{name: run}'],
  ])('%s is left as text', (_how, text) => {
    expect(found(text)).toEqual([]);
  });

  it('is given up on quickly when it never closes', () => {
    expect(found('{'.repeat(200_000))).toEqual([]);
  });
});
