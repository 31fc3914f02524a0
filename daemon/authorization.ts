import { z } from 'zod';
import type { Authorization } from '../shared/domain/authorization.ts';
import { RULE_KINDS } from '../shared/domain/rule.ts';

const schema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('read_only') }),
  z.object({ kind: z.literal('window'), windowId: z.uuid() }),
  z.object({ kind: z.literal('approval'), approvalId: z.uuid() }),
  z.object({ kind: z.enum(RULE_KINDS), ruleId: z.uuid() }),
]);

/**
 * By what a row says that it may run; undefined when it says nothing that we know. The column is
 * free JSON: a kind without a rule here must never be a kind without a check.
 */
export function parseAuthorization(stored: unknown): Authorization | undefined {
  return schema.safeParse(stored).data;
}
