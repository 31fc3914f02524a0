import { parse } from 'unbash';
import {
  type GateFlag,
  type GatePart,
  type GateResult,
  MAX_GATE_PARTS,
} from '../domain/gate-result.ts';
import { isStricter, type RiskClass, stricter } from '../domain/risk.ts';
import { checkBounds } from './bounds.ts';
import { confirmation } from './confirm.ts';
import {
  type Context,
  type Engine,
  lastBudget,
  newBudget,
  noteSyntax,
  type Segment,
  spendText,
} from './context.ts';
import { findBashism } from './dialect.ts';
import { doubts } from './distrust.ts';
import { BASH_FACTS, type GateFacts } from './facts.ts';
import { judgeArgv } from './judge.ts';
import { DEFAULT_POLICY, type GatePolicy, settingsHash } from './policy.ts';
import { type Finding, OTHER_ACCESS, Report } from './report.ts';
import { scanForDestruction } from './scan.ts';
import { newScope } from './scope.ts';
import { touchesSelf } from './self.ts';
import { clip } from './value.ts';
import { walkScript } from './walk.ts';

/** Changes whenever the same command could be judged differently. */
export const POLICY_VERSION = '9';

/** Parsing a text and checking the tree, in times of going through it once. */
const PARSE_PASSES = 4;
const FLAG_ORDER: readonly GateFlag[] = [
  'opaque',
  'unbounded',
  'secret',
  'egress',
  'access',
  'self',
  'outside_text',
];

/**
 * Judges a command line. Pure, deterministic, never throws; whatever cannot be judged is at least a
 * config_mutation. The declared risk can only raise the class, and so can the place's floor.
 */
export function classify(input: {
  readonly command: string;
  readonly declaredRisk?: RiskClass;
  readonly facts: GateFacts;
  /** The operator's settings; the usual ones when left out. */
  readonly policy?: GatePolicy;
}): GateResult {
  const report = new Report();
  const place: Place = { facts: input.facts, policy: input.policy ?? DEFAULT_POLICY };
  try {
    judgeCommand(input.command, place, report);
  } catch (error) {
    giveUp(input.command, error, place, report);
  }
  return summarise(input.command, report, input.declaredRisk, place);
}

/**
 * The command words that the tree names, by the very walk that judges them: those the shell itself
 * would start, and those that they would start in turn (`ls` in `sudo ls`). Tests compare the first
 * with what a real shell starts.
 */
export function commandsNamed(command: string): {
  readonly byShell: ReadonlySet<string>;
  readonly inTurn: ReadonlySet<string>;
} {
  const byShell = new Set<string>();
  const inTurn = new Set<string>();
  const place: Place = { facts: BASH_FACTS, policy: DEFAULT_POLICY };
  const context = newContext(command, place, new Report());
  const noting = (names: Set<string>, inner: Engine): Engine => ({
    ...inner,
    argv: (argv, at, segment) => {
      const word = argv[0]?.text;
      if (word !== undefined && !at.searching) names.add(word);
      judgeArgv(argv, { ...at, engine: inner }, segment);
    },
  });
  const below: Engine = {
    ...context.engine,
    argv: (argv, at, segment) => noting(inTurn, below).argv(argv, at, segment),
  };
  judgeText(command, { ...context, engine: noting(byShell, below) });
  return { byShell, inTurn };
}

/** What the verdict depends on beside the command. */
interface Place {
  readonly facts: GateFacts;
  readonly policy: GatePolicy;
}

function judgeCommand(command: string, place: Place, report: Report): void {
  const context = newContext(command, place, report);
  const whole: Segment = { text: clip(command), span: [0, command.length] };
  const { problems, parseable } = checkBounds(command);
  for (const why of problems) {
    report.add({ ...whole, rule: 'bounds', why, class: 'config_mutation' });
  }
  if (problems.length > 0) scanForDestruction(command, context, whole);
  if (parseable) judgeText(command, context);
  else report.addFlags(['opaque']);
}

function newContext(command: string, place: Place, report: Report): Context {
  const engine: Engine = { script: walkScript, text: judgeText, argv: judgeArgv };
  return {
    source: command,
    report,
    budget: newBudget(),
    depth: 0,
    shell: place.facts.shell,
    facts: place.facts,
    policy: place.policy,
    scope: newScope(),
    input: { kind: 'inherited' },
    engine,
  };
}

/** Parses a text and judges it; used for the command itself and for scripts inside it. */
function judgeText(text: string, outer: Context): void {
  const context = { ...outer, source: text };
  if (outer.depth > 0) {
    const inner = checkBounds(text);
    for (const why of inner.problems) noteSyntax(context, { pos: 0, end: text.length }, why);
    if (!inner.parseable) return;
  }
  spendText(context, PARSE_PASSES * text.length);
  const script = parse(text);
  const doubted = doubts(script, text);
  for (const doubt of doubted) noteSyntax(context, doubt, doubt.why, { flags: ['opaque'] });
  if (doubted.length > 0 || script.errors?.length) {
    const segment: Segment = { text: clip(text), span: outer.fixedSpan ?? [0, text.length] };
    scanForDestruction(text, context, segment);
  }
  if (context.shell === 'posix') {
    const bashism = findBashism(script);
    if (bashism) noteSyntax(context, bashism, 'may mean something else in a shell other than bash');
  }
  walkScript(script, context);
}

/** Closes the door: the command could not be judged whole. */
function giveUp(command: string, error: unknown, place: Place, report: Report): void {
  const whole: Segment = { text: clip(command), span: [0, command.length] };
  const detail = error instanceof Error ? error.message : 'unknown trouble';
  report.add({
    ...whole,
    rule: 'bounds',
    why: `the command could not be judged whole: ${detail}`,
    class: 'config_mutation',
    flags: ['opaque'],
  });
  const context = { ...newContext(command, place, report), budget: lastBudget() };
  try {
    scanForDestruction(command, context, whole);
  } catch {
    // The scan ran out of budget too: then nothing is known, which is what destructive is for.
    report.add({
      ...whole,
      rule: 'bounds',
      why: 'it is too large to search',
      class: 'destructive',
      objects: [{ verb: 'run', name: undefined }],
    });
  }
}

function summarise(
  command: string,
  report: Report,
  declared: RiskClass | undefined,
  place: Place,
): GateResult {
  const found = partsOf(report, command);
  const judged = report.risk;
  const raised = raisesOf({ report, declared, facts: place.facts, first: found[0] });
  const risk = raised.reduce((strictest, part) => stricter(strictest, part.class), judged);
  const confirm =
    risk === 'destructive' ? confirmationFor(report, judged) : hintFor(found, risk, report);
  return {
    risk,
    parts: [...raised, ...found],
    flags: FLAG_ORDER.filter((flag) => report.flags.has(flag)),
    touches: report.touches,
    ...confirm,
    ...filesOf(report, risk),
    policyVersion: POLICY_VERSION,
    settingsHash: settingsHash(place.policy, place.facts),
  };
}

/** Files to look at before it runs: what is only read is followed, what is applied is shown. */
function filesOf(report: Report, risk: RiskClass): Pick<GateResult, 'contents' | 'operands'> {
  const { contents, operands } = report;
  if (risk === 'read_only') return operands.length > 0 ? { operands } : {};
  return contents.length > 0 ? { contents } : {};
}

/** The harmless or bounded form of what was asked, where the strictest part knows one. */
function hintFor(
  found: readonly GatePart[],
  risk: RiskClass,
  report: Report,
): Pick<GateResult, 'hint'> {
  const endless = risk === 'read_only' && report.flags.has('unbounded');
  const safer = found.find(
    (part) => (part.class === risk || part.rule === 'endless') && part.safer !== undefined,
  )?.safer;
  const wanted = endless || risk !== 'read_only';
  return safer === undefined || !wanted ? {} : { hint: `Instead: ${safer}` };
}

/** At least one part, also for a command that only sets a variable. */
function partsOf(report: Report, command: string): readonly GatePart[] {
  const parts = report.findings.slice(0, MAX_GATE_PARTS).map(toPart);
  if (parts.length > 0) return parts;
  const span = [0, command.length] as const;
  const why = 'only sets variables or opens files of the shell itself';
  return [{ text: clip(command), span, rule: 'shell', why, class: 'read_only' }];
}

/**
 * A command that is destructive only here, or only by declaration, is confirmed by its place: the
 * one guest that it names, else the target.
 */
function confirmationFor(
  report: Report,
  judged: RiskClass,
): Pick<GateResult, 'confirm' | 'hint' | 'globs'> {
  if (judged === 'destructive') return confirmation(report);
  const touched = new Set(report.touches === 'unknown' ? [] : report.touches);
  const [guest] = touched;
  const object =
    guest !== undefined && touched.size === 1 ? guest.replace(/^\w+\//, '') : '@target';
  return { confirm: { verb: 'change', object } };
}

/** What raises the class beyond what was found, strictest first; only what really raises it. */
function raisesOf(found: {
  readonly report: Report;
  readonly declared: RiskClass | undefined;
  readonly facts: GateFacts;
  readonly first: GatePart | undefined;
}): readonly GatePart[] {
  const { report, declared, facts, first } = found;
  if (first === undefined) return [];
  const reasons: readonly (readonly [string, RiskClass | undefined, string])[] = [
    ...(report.risk === 'read_only' ? [] : floorsOf(report, facts)),
    ['declared', declared, `the caller declared it ${declared}`],
  ];
  const parts: GatePart[] = [];
  let reached = report.risk;
  for (const [rule, risk, why] of reasons) {
    if (risk === undefined || !isStricter(risk, reached)) continue;
    reached = risk;
    parts.unshift({ text: first.text, span: first.span, rule, why, class: risk });
  }
  return parts;
}

function floorsOf(
  report: Report,
  facts: GateFacts,
): readonly (readonly [string, RiskClass | undefined, string])[] {
  const { floor, floors = {} } = facts;
  const touched = report.touches === 'unknown' ? [] : report.touches;
  const isSelf = facts.isSelf || report.flags.has('self') || touchesSelf(touched, facts);
  if (isSelf) report.addFlags(['self']);
  return [
    ['self', isSelf ? 'destructive' : undefined, 'it changes Oikos itself'],
    ['floor', floor, `every change on this target counts as ${floor}`],
    ...Object.entries(floors)
      .filter(([slug]) => report.touches === 'unknown' || touched.includes(slug))
      .map(([slug, risk]) => {
        const reach = report.touches === 'unknown' ? `it may reach ${slug}: ` : '';
        return ['floor', risk, `${reach}every change of ${slug} counts as ${risk}`] as const;
      }),
  ];
}

function toPart(finding: Finding): GatePart {
  const { text, span, rule, why, class: risk, touches, safer, flags } = finding;
  const access = flags?.includes('access') ? (finding.access ?? OTHER_ACCESS) : undefined;
  return {
    text,
    span,
    rule,
    why,
    class: risk,
    ...(touches !== undefined && touches !== 'unknown' && touches.length > 0 ? { touches } : {}),
    ...(access !== undefined ? { access } : {}),
    ...(safer !== undefined ? { safer } : {}),
  };
}
