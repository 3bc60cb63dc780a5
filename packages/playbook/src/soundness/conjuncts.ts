import type { ast, Template } from '@noetl/template';
import type { Condition } from '../model/playbook.ts';

/** The conditions that must all hold, in a form that spelling does not change: `{{ a and b }}` is `a`, `b`. */
export function conjuncts(condition: Condition | undefined): ReadonlySet<string> {
  if (condition?.kind !== 'template') return NO_PARTS;
  const { tree } = condition.template;
  const parts = known.get(tree) ?? partsOf(tree);
  known.set(tree, parts);
  return parts;
}

const NO_PARTS: ReadonlySet<string> = new Set();

/** A condition is compared with many others, and the same one stands in many rules. */
const known = new WeakMap<object, ReadonlySet<string>>();

function partsOf(tree: Template['tree']): ReadonlySet<string> {
  const output = tree.body.find((statement) => statement.kind === 'output');
  const parts = new Set<string>();
  const visit = (node: ast.Expression): void => {
    if (node.kind === 'binary' && node.operator === 'and') {
      visit(node.left);
      visit(node.right);
    } else parts.add(meaningOf(node));
  };
  if (output?.kind === 'output') visit(output.expression);
  return parts;
}

/** The syntax tree without its places: blanks, quotes and parentheses are no part of what a condition means. */
const meaningOf = (node: ast.Expression): string =>
  JSON.stringify(node, (key, value) => {
    if (key === 'at' || key === 'end') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
