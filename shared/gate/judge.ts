import type { GateFlag } from '../domain/gate-result.ts';
import { isStricter, type RiskClass } from '../domain/risk.ts';
import { noteAccess } from './access/note.ts';
import {
  noteBareValues,
  noteChangedPlaces,
  noteMentions,
  noteOverwritten,
  noteTraits,
} from './beside.ts';
import { noteContents, noteProgram } from './content/note.ts';
import { type Context, deeper, type Segment, spend, spendText } from './context.ts';
import { destroyedBy } from './destroyed.ts';
import { insteadOf } from './hints.ts';
import { isTrustedInstaller } from './installers.ts';
import { candidates } from './places.ts';
import { readsOut } from './reading.ts';
import { abbreviatedRule, callFor, programOf } from './registry.ts';
import type { Call, Match, Opened, Program, Rule } from './rule.ts';
import { keepGrave, scanForDestruction, scanWords } from './scan.ts';
import { newScope } from './scope.ts';
import { literal, show, type Value } from './value.ts';

/** Judging a call, beside what its words take. */
const CALL = 8;
/** Telling whether a word of a changing call gives access. */
const GAINED = 8;

const SYSTEM_BIN = /^\/(usr\/(local\/)?)?s?bin\/([^/]+)$/;

type Matching = Extract<Match, { matches: true }>;

interface Judged {
  readonly rule: Rule;
  readonly call: Call;
  readonly match: Matching;
  /** All its words, also those before the verb. */
  readonly args: readonly Value[];
}

/** Judges one program with its arguments and notes the outcome for the segment. */
export function judgeArgv(argv: readonly Value[], context: Context, segment: Segment): void {
  spend(context, CALL + argv.length);
  for (const word of argv) spendText(context, word.pattern.length);
  const [head, ...args] = argv;
  if (head?.text === undefined || head.text === '') {
    note(context, segment, 'unknown', 'the command word is decided at run time', ['opaque']);
    scanWords(args, context, segment);
    return;
  }
  const { name, trusted } = programName(head.text, context);
  if (!trusted) {
    const why = `${show(head)} is a program outside the system directories`;
    note(context, segment, 'unknown', why, ['opaque']);
    noteProgram(head, context);
  }
  const script = /^\/etc\/init\.d\/([\w.-]+)$/.exec(head.text)?.[1];
  if (script !== undefined) noteGained('service', [literal(script), ...args], context, segment);
  noteMentions(argv, context);
  noteTraits(name, args, context, segment);
  const program = /^[\x21-\x7e]+$/.test(name) ? programOf(name) : undefined;
  if (program) judgeProgram(program, name, args, context, segment);
  else judgeUnknown(name, args, context, segment);
}

/** The program a command word starts, and whether it lies where the system keeps programs. */
function programName(word: string, context: Context): { name: string; trusted: boolean } {
  if (!word.includes('/')) return { name: word, trusted: true };
  const direct = SYSTEM_BIN.exec(word.replace(/\/+/g, '/'));
  if (direct?.[3]) return { name: direct[3], trusted: true };
  const [path] = candidates(word, context.scope.directories);
  return { name: (path ?? word).split('/').pop() ?? word, trusted: false };
}

function judgeUnknown(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  const why = `nothing is known about the program ${show(literal(name))}`;
  note(context, segment, 'unknown', why, lossFlags(args));
  readsOut(args, 'scan', context, segment);
  noteOverwritten(name, args, context, segment);
  noteGained(name, args, context, segment);
  noteContents(name, args, context, segment);
  noteChangedPlaces(name, 'config_mutation', args, context);
  searchLaunched(args, context, segment);
}

function judgeProgram(
  program: Program,
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  context.report.addTouches(program.touches?.(args));
  const judged = matchingRules(program, name, args, context);
  if (asksItself(args) && !judged.some(({ rule }) => rule.class === 'destructive')) {
    note(context, segment, name, 'shows its version or how it is used', [], 'read_only');
    return;
  }
  const shortened = program.abbreviates ? abbreviatedRule(program, args) : undefined;
  if (shortened) addRule(name, shortened, undefined, context, segment);
  const decisive = strictest(judged);
  if (name === 'git' && !context.policy.git) {
    note(context, segment, 'git', 'the settings do not let git be looked at unasked');
  }
  if (decisive) addRule(name, decisive.rule, decisive, context, segment);
  else if (!shortened) noteUnmatched(program, name, args, context, segment);
  for (const each of judged) follow(each, context, segment);
  const opens = (decisive?.match.opens?.length ?? 0) > 0;
  if (!opens) noteBareValues(name, args, context, segment);
  noteReadings(program, decisive, args, context, segment);
  if (decisive?.rule.class !== 'read_only') {
    if (decisive?.rule.class !== 'destructive') noteOverwritten(name, args, context, segment);
    noteGained(name, args, context, segment);
    noteContents(name, args, context, segment);
  }
  noteChangedPlaces(name, decisive?.rule.class ?? 'config_mutation', args, context);
  searchUnfollowed(program, decisive, args, context, segment);
}

/** What comes out of files: those the rule names, and any other word that could be one. */
function noteReadings(
  program: Program,
  decisive: Judged | undefined,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  const files = decisive?.match.reads;
  if (files)
    readsOut(files, decisive.rule.class === 'read_only' ? 'print' : 'scan', context, segment);
  if (program.operands !== 'read') return;
  const words = files ? args.filter((arg) => arg.text?.startsWith('-')) : args;
  readsOut(words, 'scan', context, segment);
}

/** Looks for destructive commands among words that no rule has followed. */
function searchUnfollowed(
  program: Program,
  decisive: Judged | undefined,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  const general = program.launches && (!decisive || decisive.rule.verb.length === 0);
  const launches = decisive?.rule.launches || (general && decisive?.match.opens === undefined);
  if (launches) searchLaunched(args, context, segment);
  else if (!decisive) scanWords(args, context, segment);
}

/** `restic --version`, `mdadm --help`: every known program then only prints that and ends. */
function asksItself(args: readonly Value[]): boolean {
  return args.length === 1 && /^--(version|help)$/.test(args[0]?.text ?? '');
}

function matchingRules(
  program: Program,
  name: string,
  args: readonly Value[],
  context: Context,
): readonly Judged[] {
  const judged: Judged[] = [];
  for (const rule of program.rules) {
    const call = callFor(program, rule, name, args, context);
    const match = call && rule.when(call);
    if (call && match?.matches) judged.push({ rule, call, match, args });
  }
  return judged;
}

function strictest(judged: readonly Judged[]): Judged | undefined {
  return judged.reduce<Judged | undefined>(
    (best, each) => (best && !isStricter(each.rule.class, best.rule.class) ? best : each),
    undefined,
  );
}

function addRule(
  name: string,
  rule: Rule,
  judged: Judged | undefined,
  context: Context,
  segment: Segment,
): void {
  const flags = withoutTrusted([...(rule.flags ?? []), ...(judged?.match.flags ?? [])], context);
  context.report.add({
    ...segment,
    rule: [name, ...rule.verb].join(' '),
    why: rule.why,
    class: rule.class,
    flags,
    ...(judged?.match.touches ? { touches: judged.match.touches } : {}),
    ...saferForm(name, rule, flags, judged),
    ...(rule.class === 'destructive'
      ? { objects: destroyedBy(name, rule, judged, context, segment) }
      : {}),
  });
}

/** A bounded form of what never ends, or what would only look. */
function saferForm(
  name: string,
  rule: Rule,
  flags: readonly GateFlag[],
  judged: Judged | undefined,
): { readonly safer?: string } {
  if (rule.safer && flags.includes('unbounded')) return { safer: rule.safer };
  const milder = rule.class === 'config_mutation' || rule.class === 'reversible_low';
  const words = [...rule.verb.map(literal), ...(judged?.call.args ?? [])];
  const instead = milder ? insteadOf(name, words) : undefined;
  return instead === undefined ? {} : { safer: instead };
}

/** A script piped from an address the operator trusts is not opaque, though its reach is unknown. */
function withoutTrusted(flags: readonly GateFlag[], context: Context): readonly GateFlag[] {
  if (!flags.includes('opaque') || !isTrustedInstaller(context)) return flags;
  context.report.addTouches('unknown');
  return flags.filter((flag) => flag !== 'opaque');
}

/** What a matching rule opens or remarks beside its own class. */
function follow(judged: Judged, context: Context, segment: Segment): void {
  const { match, rule, call } = judged;
  for (const remark of match.remarks ?? []) {
    context.report.add({
      ...segment,
      rule: [call.program, ...rule.verb].join(' '),
      why: remark.why,
      class: remark.class,
      flags: remark.flags ?? [],
      ...(remark.class === 'destructive'
        ? {
            objects: [
              {
                verb: remark.object?.verb ?? call.program,
                name: remark.object?.value.text,
                within: segment.text,
              },
            ],
          }
        : {}),
    });
  }
  const { scope } = context;
  const inner = startsElsewhere(call)
    ? { ...context, scope: { ...scope, here: undefined } }
    : context;
  for (const opened of match.opens ?? []) open(opened, inner, segment);
}

/** These run a command from the home of a user, or from each folder that is found. */
function startsElsewhere({ program, args }: Call): boolean {
  const moves =
    { find: /^-(exec|ok)dir$/, sudo: /^(-\w*[iDR]|--(login|chdir|chroot))/, doas: /^-/ }[program] ??
    /$^/;
  return /^(su|runuser)$/.test(program) || args.some((arg) => moves.test(arg.text ?? '-i'));
}

function open(opened: Opened, context: Context, segment: Segment): void {
  const { elsewhere } = opened;
  const { directories, here } = elsewhere ? newScope() : context.scope;
  const place = elsewhere ?? context.place;
  const moved: Partial<Context> =
    place === undefined ? {} : { place, guest: guestOf(opened, context) };
  if (opened.kind === 'argv') {
    const scope = { vars: context.scope.vars, directories, here };
    context.engine.argv(opened.argv, deeper(context, { ...moved, scope }), segment);
    return;
  }
  // Only exported variables reach another shell, and none of those can be told here.
  const scope = { vars: newScope().vars, directories, here };
  const script = {
    fixedSpan: segment.span,
    scope,
    shell: opened.shell,
    input: inputOfScript(opened.text, context),
  };
  context.engine.text(opened.text, deeper(context, { ...moved, ...script }));
}

/** Of several commands the first may have read of a given script, and the shell runs the rest. */
function inputOfScript(text: string, { input }: Context): Context['input'] {
  const script = input.kind === 'text' && input.script !== undefined;
  return script && !/^\s*(\/bin\/)?(ba)?sh( -\w+)*\s*$/.test(text) ? { kind: 'text' } : input;
}

/** Whose files the opened command names. A guest inside a guest is nobody's to look at. */
function guestOf(opened: Opened, context: Context): string | null | undefined {
  if (opened.elsewhere === undefined) return context.guest;
  return (opened.kind === 'argv' && context.place === undefined && opened.guest) || null;
}

function noteUnmatched(
  program: Program,
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  const because = program.rules
    .map((rule) => {
      const call = rule.class === 'read_only' && callFor(program, rule, name, args, context);
      const match = call ? rule.when(call) : undefined;
      return match && !match.matches ? match.because : undefined;
    })
    .find((text) => text !== undefined);
  const why = because
    ? `${name} is only known to be harmless in other forms: ${because}`
    : `this use of ${name} is not known to be harmless`;
  const safer = insteadOf(name, args);
  context.report.add({
    ...segment,
    rule: name,
    why,
    class: 'config_mutation',
    flags: lossFlags(args),
    ...(safer === undefined ? {} : { safer }),
  });
}

const LOSS =
  /^(?:-{1,2})?(?:del(?:ete)?|destroy|remove|rm|purge|reset|wipe|drop|prune|format|erase|kill|truncate|uninstall|flush|forget|shred|zap)(?:[-_=].*)?$|wipe|destroy/i;

/**
 * A use that no rule knows and whose words speak of loss: what it really does cannot be told, so it
 * never rides on an earlier yes.
 */
function lossFlags(args: readonly Value[]): readonly GateFlag[] {
  return args.some((arg) => LOSS.test(arg.text ?? '')) ? ['opaque'] : [];
}

function note(
  context: Context,
  segment: Segment,
  rule: string,
  why: string,
  flags: readonly GateFlag[] = [],
  risk: RiskClass = 'config_mutation',
): void {
  context.report.add({ ...segment, rule, why, class: risk, flags });
}

/** Words that may be a command of their own, or hold one, after a program that starts others. */
function searchLaunched(args: readonly Value[], context: Context, segment: Segment): void {
  if (context.searching) return;
  scanWords(args, context, segment);
  for (const arg of args) {
    const text = arg.text;
    if (text === undefined || !/\s/.test(text)) continue;
    const inner: Partial<Context> = { fixedSpan: segment.span, scope: newScope() };
    keepGrave(context, (muted) => context.engine.text(text, { ...muted, ...inner }));
    scanForDestruction(text, context, segment);
  }
}

function noteGained(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  spend(context, GAINED * args.length);
  noteAccess(name, args, context, segment);
}
