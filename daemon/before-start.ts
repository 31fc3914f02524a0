import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import { type ContentFacts, differenceOf, objections } from '../shared/domain/content.ts';
import type { GateResult } from '../shared/domain/gate-result.ts';
import type { Startable } from './claim.ts';
import {
  askOf,
  factsFrom,
  type LookPlan,
  leadsAway,
  placesOf,
  placeTarget,
  planLook,
  planTrouble,
  type Reading,
  readingOn,
  withNamed,
} from './look.ts';
import { type Look, lookScript, mergeLooks, readLook, saidBy } from './ssh/preflight.ts';
import type { Preflight } from './ssh/transport.ts';
import { wrapCommand } from './ssh/wrap.ts';

export type BeforeStart =
  | { readonly ok: true; readonly preflight?: Preflight }
  | { readonly ok: false; readonly reason: string };

/**
 * What the starting shell must find before it starts this execution: files as they were when it was
 * approved, or, for what only reads, paths that lead nowhere else.
 */
export function beforeStart({ row, gate, ground }: Startable, keepEnvOption: boolean): BeforeStart {
  const named = planLook(gate);
  if (named === undefined) return { ok: true };
  const plan = withNamed(named, row.facts);
  const target = targetOf(row);
  const trouble = planTrouble(plan, target);
  if (trouble) return { ok: false, reason: trouble };
  const asks = placesOf(plan).map((place) => ({ place, ask: askOf(plan, place, false) }));
  const lines: ((nonce: string) => string)[] = [];
  for (const { place, ask } of asks) {
    const line = (nonce: string) =>
      wrapCommand({
        target: placeTarget(target, place),
        dialect: place === undefined ? row.dialect : 'posix',
        command: lookScript(ask, nonce),
        keepEnvOption,
      });
    const tried = line('');
    if (!tried.ok) return { ok: false, reason: tried.reason };
    lines.push((nonce) => {
      const wrapped = line(nonce);
      return wrapped.ok ? wrapped.line : 'false';
    });
  }
  const seenIn = (received: string, nonce: string) =>
    mergeLooks(asks.map(({ ask }, at) => readLook(saidBy(at, received, nonce), nonce, ask)));
  const preflight: Preflight = {
    lines: (nonce) => lines.map((line) => line(nonce)),
    judge: (received, nonce) =>
      objection(row, gate, plan, seenIn(received, nonce), readingOn(row, ground)),
    twice: plan.operands.length === 0,
  };
  return { ok: true, preflight };
}

function objection(
  row: ExecutionRow,
  gate: GateResult,
  plan: LookPlan,
  look: Look,
  reading: Reading,
): string | undefined {
  const away = leadsAway(plan, look, reading);
  if (away !== undefined) return away;
  const now = factsFrom(plan, look, { target: targetOf(row), reading, redact: (text) => text });
  if ('trouble' in now) return now.trouble;
  return differenceOf(row.facts ?? NO_FACTS, now) ?? objections(gate, now)[0];
}

const NO_FACTS: ContentFacts = { files: [], lists: [] };
