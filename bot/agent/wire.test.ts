import { describe, expect, it } from 'vitest';
import type { ReasoningReplay } from './compat.ts';
import type { AssistantMessage } from './messages.ts';
import { toWire } from './wire.ts';

const called: AssistantMessage = {
  role: 'assistant',
  content: '',
  calls: [{ id: 'a', name: 'run', args: '{"x":1}', extra: { sign: 's' } }],
  reasoning: { field: 'reasoning', text: 'think', details: [{ d: 1 }], model: 'm' },
};
const wire = (message: AssistantMessage, replay: ReasoningReplay, model = 'm') =>
  toWire(message, { model, replay });

describe('a message on the wire', () => {
  it('carries calls with their extra fields and its own model’s reasoning', () => {
    expect(wire(called, 'received')).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { sign: 's', id: 'a', type: 'function', function: { name: 'run', arguments: '{"x":1}' } },
      ],
      reasoning: 'think',
      reasoning_details: [{ d: 1 }],
    });
  });

  it.each<[ReasoningReplay, string, object]>([
    ['never', 'm', {}],
    ['received', 'other', {}],
    ['required', 'other', { reasoning_content: '' }],
  ])('with replay %s to model %s has the reasoning %j', (replay, model, reasoning) => {
    expect(wire(called, replay, model)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: expect.any(Array),
      ...reasoning,
    });
  });

  it('has no lone surrogates', () => {
    const options = { model: 'm', replay: 'never' } as const;
    expect(toWire({ role: 'user', content: 'a\ud800' }, options).content).toBe('a\ufffd');
    expect(toWire({ role: 'tool', callId: 'a', content: '\udc00' }, options)).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: '\ufffd',
    });
  });
});
