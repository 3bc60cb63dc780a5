import type { Expression, TemplateTree } from './ast.ts';
import { eachExpression } from './own-names.ts';
import { childrenOf } from './walk.ts';

/** A name that a template reads from its scope, with the part of the path that is known without evaluating it. */
export interface Reference {
  readonly name: string;
  /** `workload.items[0].id` → `['items', 0, 'id']`; it ends where a key is computed or a method called. */
  readonly path: readonly (string | number)[];
  /** Whether the template provides for its absence: `| default(…)`, `is defined`, `is undefined`, `… or`. */
  readonly optional: boolean;
  /** Where it stands in the source, in UTF-16 units. */
  readonly at: number;
  readonly end: number;
}

/** Everything the template reads from its scope, in source order. Names that it assigned before are its own. */
export function referencesOf(tree: TemplateTree): readonly Reference[] {
  const found: Reference[] = [];
  eachExpression(tree, (expression, own) => visitExpression(expression, own, found));
  if (found.length < 2) return found;
  // Who asks once whether something is there knows that it may not be.
  const provided = new Set(found.filter((reference) => reference.optional).map(pathOf));
  const references =
    provided.size === 0
      ? found
      : found.map((reference) => (provided.has(pathOf(reference)) ? { ...reference, optional: true } : reference));
  return references.sort((a, b) => a.at - b.at || b.end - a.end);
}

const pathOf = ({ name, path }: Reference): string => (path.length === 0 ? name : JSON.stringify([name, ...path]));

function visitExpression(node: Expression, own: ReadonlySet<string>, found: Reference[], optional = false): void {
  const reference = asReference(node, optional);
  if (reference !== undefined) {
    if (!own.has(reference.name)) found.push(reference);
    return;
  }
  // `x.items()` reads x: the method's name is no part of the path.
  if (node.kind === 'call' && node.callee.kind === 'attribute') visitExpression(node.callee.object, own, found);
  const children = childrenOf(node);
  const rest = node.kind === 'call' && node.callee.kind === 'attribute' ? children.slice(1) : children;
  const guarded = guardedValue(node);
  for (const child of rest) visitExpression(child, own, found, child === guarded);
}

/** The operand whose absence this filter or test is there for. */
function guardedValue(node: Expression): Expression | undefined {
  if (node.kind === 'filter' && (node.name === 'default' || node.name === 'd')) return node.value;
  if (node.kind === 'binary' && node.operator === 'or') return node.left;
  return node.kind === 'test' && (node.name === 'defined' || node.name === 'undefined') ? node.value : undefined;
}

function asReference(node: Expression, optional: boolean): Reference | undefined {
  const read = staticPathOf(node);
  return read && { ...read, optional, at: node.at, end: node.end };
}

/** A name with what is read of it. */
export type StaticPath = Pick<Reference, 'name' | 'path'>;

/** `name.a['b'][0]` as a name and a path; undefined if a key must be evaluated, or if it is another expression. */
export function staticPathOf(node: Expression): StaticPath | undefined {
  const path: (string | number)[] = [];
  let current = node;
  for (;;) {
    if (current.kind === 'name') return { name: current.name, path: path.reverse() };
    if (current.kind === 'attribute') path.push(current.name);
    else if (current.kind === 'item' && current.key.kind === 'literal' && isStatic(current.key.value))
      path.push(current.key.value);
    else return undefined;
    current = current.object;
  }
}

const isStatic = (key: unknown): key is string | number => typeof key === 'string' || typeof key === 'number';
