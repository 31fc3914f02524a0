import { z } from 'zod';
import { OWN_MARK, type OwnMark, RULE_OFFER } from './ports.ts';

const markSchema = z.object({
  task: z.string(),
  kind: z.enum(['answer', 'card', 'reminder', 'line', 'progress']),
  approvals: z.array(z.string()).optional(),
});

/** The mark on one of our own events; undefined on anything else. Never trust it on others' events. */
export function markOf(content: Record<string, unknown>): OwnMark | undefined {
  const parsed = markSchema.safeParse(content[OWN_MARK]);
  if (!parsed.success) return undefined;
  const { approvals, ...mark } = parsed.data;
  return approvals ? { ...mark, approvals } : mark;
}

const offerSchema = z.object({ rule: z.uuid() });

/** The rule that one of our own lines shows to be confirmed. Never trust it on others' events. */
export function ruleOffered(content: Record<string, unknown>): string | undefined {
  return offerSchema.safeParse(content[RULE_OFFER]).data?.rule;
}

/** An edit repeats a message's content; it shows nothing anew. */
export function isEdit(content: Record<string, unknown>): boolean {
  const relation = z.object({ rel_type: z.literal('m.replace') });
  return relation.safeParse(content['m.relates_to']).success;
}
