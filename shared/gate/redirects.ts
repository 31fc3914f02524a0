import type { HereDoc, Redirect, Redirection } from 'unbash';
import { noteWrittenAccess } from './access/note.ts';
import { type Context, noteSyntax, segmentOf, spend } from './context.ts';
import { fileNamed } from './destroyed.ts';
import { expandPart, searchBelow } from './expansions.ts';
import { closedUp } from './globs.ts';
import { candidates, isKernelTrigger, isRawDevice, isVitalFile, isWatchdog } from './places.ts';
import { readsOut } from './reading.ts';
import type { DestroyedObject } from './report.ts';
import { scanForDestruction } from './scan.ts';
import { namesSelf } from './self.ts';
import { touchedByPath } from './touches.ts';
import { show, type Value } from './value.ts';
import { expandWord } from './words.ts';

const NOWHERE = /^\/dev\/(null|stdout|stderr)$/;
/** Telling what writing to a file does and gives. */
const WRITTEN = 8;
const DESCRIPTOR = /^(\d{1,2}-?|-)$/;

/** Judges one redirection. `role` says whether a command writes anything into it. */
export function judgeRedirect(
  redirect: Redirection,
  role: 'nothing' | 'command' | 'compound',
  context: Context,
): void {
  if (redirect.descriptor?.type === 'FileDescriptorVariable') {
    noteSyntax(context, redirect, 'opens a file under a variable');
  }
  if (redirect.type === 'HereDoc') judgeHereDoc(redirect, context);
  else if (redirect.target === undefined) noteSyntax(context, redirect, 'redirects to nothing');
  else {
    const values = expandWord(redirect.target, context);
    if (redirect.type === 'HereString') return;
    if (redirect.operator === '<') judgeInput(redirect, values, context);
    else judgeOutput(redirect, values, role, context);
  }
}

function judgeHereDoc(heredoc: HereDoc, context: Context): void {
  if (!heredoc.closing || !heredoc.delimiter) noteSyntax(context, heredoc, 'has no end');
  if (/[`$]/.test(heredoc.delimiter?.text ?? ''))
    noteSyntax(context, heredoc, 'has an odd end mark');
  if (heredoc.delimiter?.quoted) return;
  for (const part of heredoc.body.parts ?? []) {
    if (part.type === 'Literal') continue;
    const plain =
      part.type === 'SimpleExpansion' ||
      part.type === 'CommandExpansion' ||
      (part.type === 'ParameterExpansion' && !part.operation && !part.index && part.prefix !== '!');
    if (plain) expandPart(part, true, context);
    else {
      noteSyntax(context, heredoc, 'computes something inside a here-document');
      scanForDestruction(part.text, context, segmentOf(heredoc, context));
      searchBelow(part, context);
    }
  }
}

function judgeInput(redirect: Redirect, values: readonly Value[], context: Context): void {
  const [file] = values;
  if (values.length !== 1 || file === undefined || file.words === 'any') {
    noteSyntax(context, redirect, 'reads from a file that is decided at run time');
  }
  if (/^\/dev\/(tcp|udp)\//.test(file?.prefix ?? '')) {
    noteSyntax(context, redirect, 'opens a network connection', { flags: ['egress'] });
    return;
  }
  const words = new Set([...values, ...values.map(closedUp)]);
  readsOut([...words], 'print', context, segmentOf(redirect, context));
}

function judgeOutput(
  redirect: Redirect,
  values: readonly Value[],
  role: 'nothing' | 'command' | 'compound',
  context: Context,
): void {
  const [file] = values;
  const text = values.length === 1 ? file?.text : undefined;
  const duplicates = redirect.operator === '<&' || redirect.operator === '>&';
  if (duplicates && text !== undefined && DESCRIPTOR.test(text)) return;
  if (text !== undefined && redirect.operator !== '<>' && redirect.operator !== '<&') {
    if (NOWHERE.test(text)) return;
  }
  // `>& word` is expanded a second time by bash: quotes inside do not protect there.
  scanForDestruction(redirect.target?.text ?? '', context, segmentOf(redirect, context));
  if (file) noteWrite(redirect, file, role, context);
}

function noteWrite(
  redirect: Redirect,
  file: Value,
  role: 'nothing' | 'command' | 'compound',
  context: Context,
): void {
  const paths = candidates(file.text ?? file.prefix, context.scope.directories);
  const flags = [
    ...(namesSelf(file, context.facts, context.scope.directories) ? (['self'] as const) : []),
    // A shell whose words come from and go to another host obeys that host.
    ...(/^\/dev\/(tcp|udp)\//.test(file.prefix) ? (['egress', 'access'] as const) : []),
  ];
  const appends = redirect.operator === '>>' || redirect.operator === '&>>';
  const destroys =
    paths.some((path) => isRawDevice(path) || isWatchdog(path) || isKernelTrigger(path)) ||
    (!appends && (role === 'nothing' || paths.some(isVitalFile)));
  spend(context, WRITTEN * paths.length);
  noteWrittenAccess([file], context, segmentOf(redirect, context));
  context.report.add({
    ...segmentOf(redirect, context),
    rule: 'redirection',
    why: destroys ? `empties or overwrites ${show(file)}` : `writes to ${show(file)}`,
    class: destroys ? 'destructive' : 'config_mutation',
    flags,
    touches: touchedByPath(file.text ?? file.prefix) ?? [],
    ...(destroys ? { objects: [overwritten(file, context)] } : {}),
  });
}

function overwritten(file: Value, context: Context): DestroyedObject {
  const told = fileNamed(file, context);
  const place = context.place?.text;
  const plain = told.name?.startsWith('/') && place === undefined;
  return { verb: 'overwrite', ...told, ...(plain ? {} : { within: `${place ?? ''} >` }) };
}
