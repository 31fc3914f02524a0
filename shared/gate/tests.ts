import type { TestExpression, Word } from 'unbash';
import { type Context, noteSyntax, spend } from './context.ts';
import { isNumberWord } from './numbers.ts';
import type { Value } from './value.ts';
import { expandWord } from './words.ts';

/** Judges `[[ … ]]`. Its number operators and -v evaluate their operands like code. */
export function judgeTest(expression: TestExpression, context: Context): void {
  spend(context);
  switch (expression.type) {
    case 'TestLogical':
      for (const operand of expression.operands) judgeTest(operand, context);
      return;
    case 'TestNot':
      judgeTest(expression.operand, context);
      return;
    case 'TestGroup':
      judgeTest(expression.expression, context);
      return;
    case 'TestUnary':
      judgeUnary(expression.operator, expression.operand, context);
      return;
    case 'TestBinary':
      judgeOperand(expression.operator, expression.left, context);
      judgeOperand(expression.operator, expression.right, context);
  }
}

function judgeUnary(operator: string, operand: Word, context: Context): void {
  const values = expandWord(operand, { ...context, asking: /^-[nz]$/.test(operator) });
  const evaluates = operator === '-v' || operator === '-R' || operator === '-o';
  if (evaluates && !/^[A-Za-z_]\w*$/.test(onlyText(values))) {
    noteSyntax(context, operand, `is evaluated by [[ ${operator} ]]`);
  }
}

/** Nothing is split here: of several words the shell takes the whole text. */
function onlyText([value, ...more]: readonly Value[]): string {
  return more.length === 0 ? (value?.text ?? '') : '';
}

function judgeOperand(operator: string, operand: Word, context: Context): void {
  const values = expandWord(operand, context);
  const reckoned = /^-(eq|ne|lt|le|gt|ge)$/.test(operator);
  const number = /^-?\d+$/.test(onlyText(values)) || isNumberWord(operand, context.scope);
  if (reckoned && !number) {
    noteSyntax(context, operand, `is evaluated by [[ ${operator} ]]`);
  }
}
