import type { ast } from '@noetl/template';

export interface ExpressionSpan {
  readonly start: number;
  readonly end: number;
}

/** The characters of an expression in its source, without parentheses around it. */
export function spanOf(node: ast.Expression, source: string): ExpressionSpan {
  const { end } = node;
  let start = firstCharacter(node);
  // A node starts at the name inside `(x).y`; the parenthesis it closes belongs to it.
  for (let open = unopened(source.slice(start, end)); open > 0; open--) start = source.lastIndexOf('(', start - 1);
  return { start, end };
}

/** Where an expression can stand for itself: with all parentheses around it. */
export function enclosedSpanOf(node: ast.Expression, source: string): ExpressionSpan {
  let { start, end } = spanOf(node, source);
  for (;;) {
    const [before] = /\(\s*$/.exec(source.slice(0, start)) ?? [];
    const [after] = /^\s*\)/.exec(source.slice(end)) ?? [];
    if (before === undefined || after === undefined) return { start, end };
    start -= before.length;
    end += after.length;
  }
}

function firstCharacter(node: ast.Expression): number {
  switch (node.kind) {
    case 'attribute':
    case 'item':
    case 'slice':
      return firstCharacter(node.object);
    case 'call':
      return firstCharacter(node.callee);
    case 'filter':
    case 'test':
      return node.value === undefined ? node.at : firstCharacter(node.value);
    default:
      return node.at;
  }
}

const PARENTHESES_AND_STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]/gs;

/** How many parentheses a text closes that it does not open. */
function unopened(text: string): number {
  let depth = 0;
  let missing = 0;
  for (const [found] of text.matchAll(PARENTHESES_AND_STRINGS)) {
    if (found === '(') depth++;
    else if (found === ')' && depth === 0) missing++;
    else if (found === ')') depth--;
  }
  return missing;
}
