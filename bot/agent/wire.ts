import type { ReasoningReplay } from './compat.ts';
import { type AssistantMessage, type ChatMessage, storableArgs } from './messages.ts';

export interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface WireAssistant {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: WireCall[];
}

/** A message as Chat Completions spells it. */
export type WireMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | WireAssistant;

export interface WireOptions {
  readonly model: string;
  readonly replay: ReasoningReplay;
}

/** Lone surrogates are replaced: servers reject a request that holds one. */
export function toWire(message: ChatMessage, options: WireOptions): WireMessage {
  const content = message.content.toWellFormed();
  switch (message.role) {
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content };
    case 'assistant':
      return message.calls.length === 0
        ? { role: 'assistant', content }
        : withCalls(message, options);
  }
}

function withCalls(message: AssistantMessage, options: WireOptions): WireAssistant {
  const calls = message.calls.map((call) => ({
    ...call.extra,
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: storableArgs(call.args).toWellFormed() },
  }));
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content.toWellFormed(),
    tool_calls: calls,
    ...reasoningFields(message, options),
  };
}

/** Replayed on messages with calls only: that is where providers ask for it. */
function reasoningFields(message: AssistantMessage, { model, replay }: WireOptions) {
  const own = message.reasoning?.model === model ? message.reasoning : undefined;
  if (replay === 'never' || (replay === 'received' && !own)) return {};
  return {
    [own?.field ?? 'reasoning_content']: own?.text.toWellFormed() ?? '',
    ...(own && own.details.length > 0 ? { reasoning_details: own.details } : {}),
  };
}
