export const REASONING_REPLAYS = ['never', 'received', 'required'] as const;
/**
 * Whether reasoning goes back on messages with calls: never, when this model sent some, or always
 * (DeepSeek answers 400 when the field is absent, even if it was empty).
 */
export type ReasoningReplay = (typeof REASONING_REPLAYS)[number];

/** What an endpoint tolerates. The defaults suit the endpoints that follow the reference. */
export interface Compat {
  /** Ask for token figures in the stream. */
  readonly usageInStream: boolean;
  /** Mark tool schemas as strict. */
  readonly strictTools: boolean;
  readonly reasoningReplay: ReasoningReplay;
  /** Send the tools even when only words are wanted: some gateways refuse a history with calls else. */
  readonly keepToolsInSummary: boolean;
  /** Accept calls that the model printed as text. */
  readonly textCalls: boolean;
}

export const DEFAULT_COMPAT: Compat = {
  usageInStream: true,
  strictTools: false,
  reasoningReplay: 'received',
  keepToolsInSummary: false,
  textCalls: false,
};
