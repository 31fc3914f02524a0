import type { SyntaxNode } from 'unbash';
import { forEachChild } from 'unbash';

const BASH_ONLY: ReadonlySet<SyntaxNode['type']> = new Set([
  'AnsiCQuoted',
  'LocaleString',
  'ArithmeticCommand',
  'TestCommand',
  'ProcessSubstitution',
  'HereString',
  'BraceExpansion',
  'ExtendedGlob',
  'Coproc',
  'Select',
  'ArithmeticFor',
  'Function',
  'ArrayValue',
]);

/** The first stretch that a shell other than bash would read differently, if any. */
export function findBashism(node: SyntaxNode): { pos: number; end: number } | undefined {
  if (isBashism(node)) return node;
  let found: { pos: number; end: number } | undefined;
  forEachChild(node, (child) => {
    found ??= findBashism(child);
  });
  return found;
}

function isBashism(node: SyntaxNode): boolean {
  if (BASH_ONLY.has(node.type)) return true;
  switch (node.type) {
    case 'Redirect':
      return node.operator.startsWith('&') || node.descriptor?.type === 'FileDescriptorVariable';
    case 'Pipeline':
      return node.operators.includes('|&');
    case 'ParameterExpansion':
      return (
        node.prefix === '!' ||
        node.index !== undefined ||
        (node.operation !== undefined && !/^(Default|Remove)$/.test(node.operation.type))
      );
    case 'ArithmeticExpansion':
      return node.text.startsWith('$[');
    case 'Assignment':
      return node.append === true || node.index !== undefined;
    default:
      return false;
  }
}
