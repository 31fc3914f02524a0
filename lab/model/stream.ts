import type { ScriptedReply } from './scenario.ts';

/** The id of the nth call after `before` earlier ones: derived, so that a restart gives the same. */
function callId(before: number, n: number): string {
  return `call_${before + n + 1}`;
}

export interface Envelope {
  readonly id: string;
  readonly model: string;
  /** Calls in the request's history. */
  readonly callsBefore: number;
  readonly promptTokens: number;
}

/** The chunks of a streamed answer, split where real providers split them: in mid-word. */
export function chunksOf(
  reply: ScriptedReply,
  envelope: Envelope,
  withUsage: boolean,
): readonly object[] {
  const deltas: object[] = [
    { role: 'assistant', content: '' },
    ...split(reply.reasoning ?? '').map((piece) => ({ reasoning_content: piece })),
    ...split(reply.text ?? '').map((piece) => ({ content: piece })),
    ...(reply.calls ?? []).flatMap(({ name, args }, index) => [
      {
        tool_calls: [
          {
            index,
            id: callId(envelope.callsBefore, index),
            type: 'function',
            function: { name, arguments: '' },
          },
        ],
      },
      ...split(JSON.stringify(args)).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
  const head = { id: envelope.id, object: 'chat.completion.chunk', model: envelope.model };
  return [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finishReason(reply) }] },
    ...(withUsage ? [{ ...head, choices: [], usage: usageOf(reply, envelope) }] : []),
  ];
}

/** The same answer as one object. */
export function wholeOf(reply: ScriptedReply, envelope: Envelope): object {
  const calls = reply.calls?.map(({ name, args }, index) => ({
    id: callId(envelope.callsBefore, index),
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.reasoning ? { reasoning_content: reply.reasoning } : {}),
    ...(calls?.length ? { tool_calls: calls } : {}),
  };
  return {
    id: envelope.id,
    object: 'chat.completion',
    model: envelope.model,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    usage: usageOf(reply, envelope),
  };
}

function finishReason(reply: ScriptedReply): string {
  return reply.finish ?? (reply.calls?.length ? 'tool_calls' : 'stop');
}

function usageOf(reply: ScriptedReply, { promptTokens }: Envelope): object {
  const said = `${reply.reasoning ?? ''}${reply.text ?? ''}${JSON.stringify(reply.calls ?? [])}`;
  const completionTokens = Math.ceil(said.length / 4);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

const PIECE_LENGTH = 24;

function split(text: string): readonly string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += PIECE_LENGTH) {
    pieces.push(characters.slice(at, at + PIECE_LENGTH).join(''));
  }
  return pieces;
}
