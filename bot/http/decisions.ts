import { z } from 'zod';
import { allPendingCards } from '../../shared/db/approvals.ts';
import { operatorOfToken } from '../../shared/db/tokens.ts';
import { type DecideAnswer, type DecideDeps, decide } from '../../shared/decide.ts';
import { typedSentence } from '../../shared/domain/approval.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpRoutes,
  json,
} from '../../shared/http/server.ts';

const decisionBody = z.strictObject({
  decision: z.enum(['granted', 'denied']),
  /** The sentence that a destructive card prints. */
  phrase: z.string().max(500).optional(),
  /** Set by `oikos approvals`: the ledger says which way a decision came. */
  via: z.literal('cli').optional(),
});

/**
 * Decisions over HTTP, on loopback and with a token that speaks for one operator: the same
 * `decide()` and the same rules as in a room. Nothing is decided by GET.
 */
export function decisionRoutes(deps: DecideDeps): HttpRoutes {
  return {
    'GET /v1/approvals': (request) => withOperator(deps, request, () => listCards(deps)),
    'POST /v1/approvals/:id/decision': (request) =>
      withOperator(deps, request, (by) => takeDecision(deps, request, by)),
  };
}

async function withOperator(
  deps: DecideDeps,
  { authorization }: HttpRequest,
  act: (operator: string) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
  const operator =
    token === undefined ? undefined : await operatorOfToken(deps.db, deps.seals, token);
  if (operator === undefined) return json(401, { error: 'a valid bearer token is needed' });
  return act(operator);
}

async function listCards({ db }: DecideDeps): Promise<HttpAnswer> {
  const cards = await allPendingCards(db);
  return json(200, {
    approvals: cards.map(({ approval, execution }) => ({
      id: approval.id,
      number: execution.number,
      room: approval.roomId,
      target: execution.targetSlug,
      command: execution.command,
      risk: execution.risk,
      flags: execution.gate.flags,
      phrase: sentenceOf(approval.phraseVerb, approval.phraseObject),
      requested_by: execution.requestedBy,
      expires_at: approval.expiresAt.toISOString(),
    })),
  });
}

function sentenceOf(verb: string | null, object: string | null): string | null {
  return verb !== null && object !== null ? typedSentence({ verb, object }) : null;
}

async function takeDecision(
  deps: DecideDeps,
  { params, body }: HttpRequest,
  by: string,
): Promise<HttpAnswer> {
  const id = z.uuid().safeParse(params['id']);
  if (!id.success) return json(404, { error: 'no such approval' });
  const read = decisionBody.safeParse(parsed(body));
  if (!read.success) return json(400, { error: z.prettifyError(read.error) });
  const { decision, phrase, via } = read.data;
  const answer = await decide(deps, {
    approvalId: id.data,
    decision,
    by,
    how: via ?? 'http',
    words: phrase,
  });
  return answerFor(answer);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function answerFor(answer: DecideAnswer): HttpAnswer {
  switch (answer.kind) {
    case 'granted':
    case 'denied': {
      const { id, number, status } = answer.execution;
      return json(200, { result: answer.kind, execution: id, number, status });
    }
    case 'needs_phrase':
      return json(422, { error: 'needs_phrase', phrase: typedSentence(answer.sentence) });
    case 'not_yours':
      return json(403, { error: 'this operator may not decide it' });
    case 'not_here':
      return json(403, { error: `nothing is decided there: ${answer.why}` });
    case 'unknown':
      return json(404, { error: 'no such approval' });
    case 'expired':
      return json(410, { error: 'it has expired' });
    case 'already':
      return json(409, { error: `it is already ${answer.status}`, by: answer.by });
    case 'altered':
      return json(409, {
        error: 'it was changed in the database since it was proposed; nothing ran',
      });
    case 'too_early':
      return json(409, { error: 'it was said before the card was made; nothing ran' });
    case 'changed':
      return json(409, {
        error: `${answer.why}; nothing ran`,
        again: answer.again,
        ...(answer.looking && { shownSoon: true }),
      });
    default:
      return answer satisfies never;
  }
}
