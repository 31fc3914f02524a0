import type { Authorization } from '../../shared/domain/authorization.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';
import { commandSummary } from './command-text.ts';
import { timeText } from './time-text.ts';
import { CLASS_WORDS } from './words.ts';

/** What the story of one execution is told from, beside its ledger rows. */
export interface StoryFacts {
  readonly number: number;
  readonly command: string;
  readonly target: string;
  readonly requestedBy: string;
  readonly risk: RiskClass;
  readonly reasons: readonly string[];
  readonly provenance: string | null;
  readonly authorization: Authorization | null;
  readonly exitCode: number | null;
  readonly outcome: string | null;
  /** What was said or tapped to decide it. */
  readonly words: string | null;
}

export interface LedgerRow {
  readonly at: Date;
  readonly kind: string;
  readonly actor: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface RuleAtWork {
  readonly number: unknown;
  readonly allowedBy: unknown;
}

/** Why an execution came to be, who decided it and how, and what became of it: one line a step. */
export function storyOf(facts: StoryFacts, events: readonly LedgerRow[], timeZone: string): string {
  const used = events.find(({ kind }) => kind === 'rule.used')?.data;
  const usedRule = used && { number: used['number'], allowedBy: used['allowedBy'] };
  const steps = events.flatMap((event) => {
    const text = stepOf(event, facts, usedRule);
    return text === undefined ? [] : [`- ${timeText(event.at, timeZone)}: ${text}.`];
  });
  return [
    `#${facts.number}, ${commandSummary(facts.command)} on ${facts.target}:`,
    ...steps,
    ...(facts.provenance === null ? [] : [`It was ${facts.provenance}.`]),
  ].join('\n');
}

function stepOf(
  { kind, actor, data }: LedgerRow,
  facts: StoryFacts,
  usedRule: RuleAtWork | undefined,
): string | undefined {
  const reason = facts.outcome === null ? '' : ` (${facts.outcome})`;
  switch (kind) {
    case 'execution.proposed': {
      const because = facts.reasons.length > 0 ? `: ${facts.reasons.slice(0, 3).join('; ')}` : '';
      return `${actor} proposed it for ${facts.requestedBy}; the gate judged it ${facts.risk} (${CLASS_WORDS[facts.risk]})${because}`;
    }
    case 'execution.asked':
      return 'nothing covered it, so it waited for a yes';
    case 'execution.granted':
      return grantedBy(actor, data, facts, usedRule);
    case 'execution.denied':
      return actor.startsWith('agent:')
        ? `the gate refused it${reason}`
        : (facts.outcome ?? `${actor} said no`);
    case 'execution.expired':
      return `it expired${reason}`;
    case 'execution.cancelled':
      return `it was cancelled by ${actor}${reason}`;
    case 'execution.claimed':
      return 'it was started';
    case 'execution.refused':
      return `it was refused before the start${reason}`;
    case 'execution.succeeded':
      return `it completed with exit ${facts.exitCode ?? 0}`;
    case 'execution.failed':
      return facts.exitCode === null
        ? `it failed${reason}`
        : `it failed with exit ${facts.exitCode}`;
    case 'execution.lost':
      return `it was lost${reason}`;
    case 'execution.stop_requested':
      return `${actor} asked to stop it`;
    case 'rule.passed':
      return `R${data['number']} did not let it run: ${data['why']}`;
    case 'decision.ignored':
      return `${actor} tried to decide it and may not`;
    case 'window.opened':
      return 'the yes opened a window for more of the same';
    default:
      return undefined;
  }
}

function grantedBy(
  actor: string,
  data: Readonly<Record<string, unknown>>,
  { authorization, words }: StoryFacts,
  usedRule: RuleAtWork | undefined,
): string {
  if (authorization?.kind === 'read_only') return 'it only reads, so it needed no yes';
  if (authorization?.kind === 'window') return 'an earlier yes still covered it';
  if (authorization?.kind === 'pattern' || authorization?.kind === 'rule') {
    return usedRule === undefined
      ? 'a rule let it run'
      : `R${usedRule.number} let it run, which ${usedRule.allowedBy} had allowed`;
  }
  const how = typeof data['how'] === 'string' ? ` by ${data['how']}` : '';
  const said = words === null ? '' : ` (${JSON.stringify(words.slice(0, 120))})`;
  return `${actor} said yes${how}${said}`;
}
