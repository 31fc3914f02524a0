import type { Reasoning, ToolCall } from './messages.ts';

/** Tokens of one or several model calls. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The part of the prompt that the provider had in its cache. */
  readonly cachedTokens: number;
  /** True where the provider sent no figures and they were estimated from the text. */
  readonly estimated: boolean;
}

export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  estimated: false,
};

/** Why the model stopped: it was done, or the output limit cut it. */
export type Finish = 'done' | 'length';

/** One whole answer of the model. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: Finish;
  /** The provider's own refusal text, empty when it has none. */
  readonly refusal: string;
  readonly reasoning?: Reasoning;
  readonly usage: Usage;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    estimated: a.estimated || b.estimated,
  };
}
