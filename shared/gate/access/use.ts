import type { AccessKind } from '../../domain/gate-result.ts';
import { beginsWithVerb, laterLines, textOfWords } from '../globals.ts';
import type { Value } from '../value.ts';

/** A call as the access table sees it: its words, what is decided at run time shown as `…`. */
export interface AccessCall {
  readonly args: readonly Value[];
  /** The words joined by blanks. */
  readonly line: string;
  /** The whole command around the call: what is piped in or follows in a here-document. */
  readonly source: string;
}

/** A use of a program that gives lasting power, opens a way in or blinds the watch. */
export interface AccessUse {
  readonly programs: readonly string[];
  /** What is gained, in plain words: the card prints it. */
  readonly gains: string;
  readonly kind: AccessKind;
  readonly when: (call: AccessCall) => boolean;
  /** Examples that gain it and others that do not: they run as tests. */
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
}

/** One row of the table. Without a form every use of the programs counts that is no plain look. */
export function gains(
  programs: string,
  what: string,
  when: RegExp | ((call: AccessCall) => boolean) | undefined,
  match: readonly string[],
  notMatch: readonly string[] = [],
): AccessUse {
  const holds = (call: AccessCall): boolean => {
    if (when === undefined) return true;
    if (!(when instanceof RegExp)) return when(call);
    return (
      when.test(call.line) ||
      (beginsWithVerb(when) && laterLines(call.args).some((line) => when.test(line)))
    );
  };
  return {
    programs: programs.split(' '),
    gains: what,
    kind: 'other',
    when: holds,
    match,
    notMatch,
  };
}

/** The same row as access of a kind that something depends on (docs/GATE.md). */
export function ofKind(kind: AccessKind, use: AccessUse): AccessUse {
  return { ...use, kind };
}

/** The words of a call, ready for the table. */
export function accessCall(args: readonly Value[], source = ''): AccessCall {
  const line = textOfWords(args);
  return { args, line, source };
}

/** A word of a line that has this form: `word('add|set')`. */
export function word(form: string): RegExp {
  return new RegExp(`(^| )(?:${form})(?= |$)`);
}

/** All beginnings of a word from a length on, as Proxmox accepts them: `ho`, `hoo`, … `hookscript`. */
export function shortened(name: string, from: number): string {
  const rest = [...name.slice(from)].reverse();
  return name.slice(0, from) + rest.reduce((inner, letter) => `(?:${letter}${inner})?`, '');
}
