import type { Scenario } from '../scenario.ts';

/** Said once, in the room: nobody shall take a script for a language model. */
export const LABEL =
  '(I am the demo’s offline model: a script, no AI. Say help for what I understand. For a real model start the demo with OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL set.)';

/** The same scenario, whose first words carry the label. */
export function labelled(scenario: Scenario): Scenario {
  let told = false;
  return scenario.map((rule) => ({
    name: rule.name,
    answer(view) {
      const reply = rule.answer(view);
      if (told || reply?.text === undefined || reply.text === '') return reply;
      told = true;
      return { ...reply, text: `${LABEL}\n\n${reply.text}` };
    },
  }));
}
