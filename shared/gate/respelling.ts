import { candidates, type Directory, isSystemText } from './places.ts';
import type { Input } from './rule.ts';
import { isNoOption, type Value } from './value.ts';

/** Where the text that a call reads comes from. */
export interface Reading {
  readonly input: Input;
  readonly directories: readonly Directory[];
}

/**
 * Why a call could respell what it prints, so that no secret in it would be recognised any more, or
 * undefined. Letters taken apart, swapped or encoded hide names and values alike.
 */
export function respells(name: string, args: readonly Value[]): boolean {
  const texts = args.map((arg) => arg.text ?? '…');
  const rule = RULES[name];
  return rule?.(texts) ?? false;
}

const words = (form: RegExp) => (texts: readonly string[]) => texts.some((text) => form.test(text));
const always = (): boolean => true;

const RULES: Readonly<Record<string, (texts: readonly string[]) => boolean>> = {
  base64: always,
  base32: always,
  basenc: always,
  rev: always,
  od: beyondAHead(/^(?:-N|--read-bytes=)(\d+)$/),
  hexdump: beyondAHead(/^(?:-n)(\d+)$/),
  xxd: beyondAHead(/^-(?:l|len)(\d+)$/),
  sed: (texts) => texts.some(sedRespells),
  awk: (texts) =>
    texts.some(awkRespells) || /(^| )(-F ?( |$)|-v ?FS= ?( |$))/.test(texts.join(' ')),
  grep: grepsLetters,
  egrep: grepsLetters,
  fold: (texts) => narrow(texts.join(' ')),
  cut: words(/^(-c|-b|--characters=|--bytes=)?\d+-?\d*,/),
  tac: words(/^-\w*[srb]|^--(separator|regex)/),
  iconv: words(/utf-?(16|32|7)|ucs|ebcdic|base64|ibm/i),
  jq: (texts) => texts.some(jqRespells),
  yq: (texts) => texts.some(jqRespells),
};

/** The first bytes of a file tell what kind it is, no more. */
function beyondAHead(attached: RegExp) {
  return (texts: readonly string[]): boolean => {
    const line = texts.join(' ').replace(/(-[Nnl]|-len|--read-bytes) (\d+)/g, '$1$2');
    const limit = line
      .split(' ')
      .map((text) => attached.exec(text)?.[1])
      .find((found) => found !== undefined);
    return limit === undefined || Number(limit) > MAX_HEAD;
  };
}

const MAX_HEAD = 64;

/** `y/abc/bcd/`, `s/./& /g`, `s/e/3/g`: a rule for single letters, used on all of them. */
function sedRespells(script: string): boolean {
  if (/(^|[;{}\s\d$/,])y([^\w\s]).+\2.*\2/s.test(script)) return true;
  const substitutions = script.matchAll(
    /s([^\w\s\\])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1(\w*)/gs,
  );
  return [...substitutions].some(([, , pattern = '', put = '', flags = '']) => {
    const everywhere = /g|\d/.test(flags);
    const letters = (pattern.replace(/\\[()wWbsS]|\[[^\]]*\]/g, '').match(/[A-Za-z0-9]/g) ?? [])
      .length;
    const inserts = /&|\\\d/.test(put);
    return everywhere && ((inserts && letters < 3) || (letters === 1 && /^\w$/.test(pattern)));
  });
}

function awkRespells(program: string): boolean {
  const loops = /\b(for|while)\b/.test(program);
  return (
    (loops && /\b(substr|split|index)\b/.test(program)) ||
    /split\([^)]*,\s*""\s*\)|FS\s*=\s*""|FPAT/.test(program) ||
    /\bg?e?n?sub\((\/\.?[^/]{0,3}\/|"\.?[^"]{0,3}"),\s*"[^"]*(&|\\\\\d)/.test(program) ||
    /gsub\((\/\w\/|"\w"),/.test(program)
  );
}

/** `grep -o .` prints letter by letter. */
function grepsLetters(texts: readonly string[]): boolean {
  if (!texts.some((text) => /^-\w*o|^--only/.test(text))) return false;
  return texts.some((text) => !text.startsWith('-') && text.length < 4 && /^[.[\\]/.test(text));
}

function narrow(line: string): boolean {
  const width = /(?:^| )-\w*?(?:w ?|width=)?(\d+)/.exec(line)?.[1];
  return width !== undefined && Number(width) < 20;
}

function jqRespells(filter: string): boolean {
  return (
    /@(base|uri|html|sh|text)|\b(explode|implode|tojson|split|splits|scan|sub|gsub|reverse|ascii|join|ltrimstr|rtrimstr)\b|\/ *""|\[-?\d*:-?\d*\]/.test(
      filter,
    ) && !/^-/.test(filter)
  );
}

/** Whether the text could hold a secret at all: what is written out in the line itself cannot. */
export function readsForeignText(args: readonly Value[], reading: Reading): boolean {
  const { input, directories } = reading;
  const files = args.filter((arg) => isNoOption(arg) && looksLikeFile(arg));
  if (files.some((file) => !isPlainFile(file, directories))) return true;
  if (files.length > 0 || input.kind === 'null') return false;
  if (input.kind === 'text' || input.kind === 'pipe') return !isWrittenOut(input);
  return false;
}

/** `echo some words`, nothing computed. */
function isWrittenOut(input: Input): boolean {
  if (input.kind !== 'pipe') return false;
  const [program, ...rest] = input.from.map((word) => word.text);
  return /^(echo|printf)$/.test(program ?? '') && !rest.includes(undefined);
}

const looksLikeFile = (value: Value): boolean =>
  value.text === undefined || /^[.~]?\/|^[\w.-]+\.\w+$/.test(value.text);

// The settings of services below /etc can hold passwords; its well-known single files do not.
function isPlainFile(value: Value, directories: readonly Directory[]): boolean {
  return candidates(value.text ?? value.prefix, directories).every(
    (path) =>
      isSystemText(path) &&
      (!path.startsWith('/etc/') ||
        /^\/etc\/(hostname|hosts|machine-id|\w+-release|passwd|group|issue|timezone|resolv\.conf|services|protocols)$/.test(
          path,
        )),
  );
}
