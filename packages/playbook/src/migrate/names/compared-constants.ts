import { type ast, type StaticPath, staticPathOf } from '@noetl/template';

/** A constant, and what it is compared with. */
export interface ComparedConstant {
  readonly reference: StaticPath;
  readonly constant: ast.Literal;
}

const SAMENESS: ReadonlySet<string> = new Set(['==', '!=', 'in', 'not in']);
const TESTS: ReadonlySet<string> = new Set(['eq', 'equalto', '==', 'ne', '!=', 'in', 'sameas']);

/** `x == 'a'`, `'a' != x`, `x in ['a', 'b']`, `x is eq 'a'`, `x | default('a') == 'a'`. */
export function comparedConstants(node: ast.Expression): readonly ComparedConstant[] {
  if (node.kind === 'compare') {
    const operands = [node.first, ...node.rest.map(({ operand }) => operand)];
    const found = node.rest.flatMap(({ operator }, i) => {
      const [left, right] = [operands[i], operands[i + 1]];
      if (left === undefined || right === undefined || !SAMENESS.has(operator)) return [];
      return [...between(left, right), ...between(right, left)];
    });
    // In `a == x == b` the fallbacks of x are found twice.
    return [...new Map(found.map((one) => [one.constant, one])).values()];
  }
  if (node.kind === 'test' && TESTS.has(node.name))
    return node.args.positional.flatMap((arg) => between(node.value, arg));
  return [];
}

function between(side: ast.Expression, other: ast.Expression): readonly ComparedConstant[] {
  const read = readThrough(side);
  if (read === undefined) return [];
  return [...constantsOf(other), ...read.fallbacks].map((constant) => ({ reference: read.reference, constant }));
}

const constantsOf = (node: ast.Expression): readonly ast.Literal[] => {
  if (node.kind === 'literal') return [node];
  return node.kind === 'list' || node.kind === 'tuple' ? node.items.flatMap(constantsOf) : [];
};

/** Filters that leave a word what it is. */
const LEAVING: ReadonlySet<string> = new Set(['default', 'd', 'string', 'lower', 'trim']);

function readThrough(
  node: ast.Expression,
): { readonly reference: StaticPath; readonly fallbacks: readonly ast.Literal[] } | undefined {
  if (node.kind === 'filter' && LEAVING.has(node.name) && node.value !== undefined) {
    const inner = readThrough(node.value);
    const fallbacks = node.name === 'default' || node.name === 'd' ? node.args.positional.slice(0, 1) : [];
    return inner && { ...inner, fallbacks: [...inner.fallbacks, ...fallbacks.flatMap(constantsOf)] };
  }
  const reference = staticPathOf(node);
  return reference && { reference, fallbacks: [] };
}
