import type { ToolAnswer, View } from './view.ts';

/** What goes wrong instead of, or during, an answer. */
export type Fault =
  /** An HTTP error with its JSON body. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
      readonly retryAfterS?: number;
    }
  /** A web page with status 200, as a wrong base URL gives. */
  | { readonly kind: 'html' }
  /** Some of the answer, then silence on an open connection. */
  | { readonly kind: 'stall' }
  /** Some of the answer, then the connection breaks. */
  | { readonly kind: 'cut' }
  /** The answer begins late. */
  | { readonly kind: 'slow_start'; readonly delayMs: number }
  /** The answer ends without a finish reason. */
  | { readonly kind: 'no_finish' }
  | { readonly kind: 'error_in_stream'; readonly message: string };

export interface ScriptedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly reasoning?: string;
  /** The output limit cuts the answer. */
  readonly finish?: 'length';
  readonly fault?: Fault;
}

/** One rule with the type of its match folded away. */
export interface Rule {
  readonly name: string;
  answer(view: View): ScriptedReply | undefined;
}

/** Rules in order: the first that matches answers. */
export type Scenario = readonly Rule[];

export function rule<Match>(definition: {
  readonly name: string;
  when(view: View): Match | undefined;
  reply(view: View, match: Match): ScriptedReply;
}): Rule {
  return {
    name: definition.name,
    answer(view) {
      const match = definition.when(view);
      return match === undefined ? undefined : definition.reply(view, match);
    },
  };
}

/** The operator just said something that fits. */
export function userSays(pattern: RegExp): (view: View) => RegExpExecArray | undefined {
  return ({ fresh, words }) => (fresh ? (pattern.exec(words) ?? undefined) : undefined);
}

/** The operator's last words fit, however far the work on them has come. */
export function asked(pattern: RegExp): (view: View) => RegExpExecArray | undefined {
  return ({ words }) => pattern.exec(words) ?? undefined;
}

/** The last thing that happened is an answer of this tool that fits. */
export function toolAnswered(
  name: string,
  pattern: RegExp,
): (view: View) => ToolAnswer | undefined {
  return ({ answers, note, fresh }) => {
    const last = note === undefined && !fresh ? answers.at(-1) : undefined;
    return last?.name === name && pattern.test(last.text) ? last : undefined;
  };
}

/** The last message is a note of Oikos about executions that fits. */
export function continuation(pattern: RegExp): (view: View) => RegExpExecArray | undefined {
  return ({ note }) => (note === undefined ? undefined : (pattern.exec(note) ?? undefined));
}

/** The first rule's answer; without one the model says so, so that a gap in a scenario is seen. */
export function replyTo(scenario: Scenario, view: View): { rule: string; reply: ScriptedReply } {
  for (const candidate of scenario) {
    const reply = candidate.answer(view);
    if (reply) return { rule: candidate.name, reply };
  }
  return { rule: 'none', reply: { text: 'No rule of this scenario fits what was said.' } };
}
