import { type Program, phrase, type Rule, reads } from '../rule.ts';

/** Programs that are harmless whatever their options: they only show. Their words are names. */
export function shows(names: string, why: string, example: string): Program {
  return {
    names: names.split(' '),
    operands: 'named',
    rules: [reads('', why, { anyOption: true }, [example], [`./${example}`])],
  };
}

/** Programs that are harmless in exactly these forms, with further rules for other uses. */
export function only(
  names: string,
  why: string,
  forms: RegExp,
  match: readonly string[],
  not: readonly string[],
  ...rules: readonly Rule[]
): Program {
  return {
    names: names.split(' '),
    operands: 'named',
    rules: [phrase('', why, forms, match, not), ...rules],
  };
}
