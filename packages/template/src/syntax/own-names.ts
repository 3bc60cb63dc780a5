import type { Expression, Statement, TemplateTree } from './ast.ts';
import { assignedBy, bodiesOf, expressionsOf, namesOf } from './walk.ts';

/** Called with each outermost expression, and the names that the template has assigned itself where it stands. */
export type Visit = (expression: Expression, own: ReadonlySet<string>) => void;

/** Every outermost expression of a template, with the names that are its own there and so are not read from the scope. */
export const eachExpression = (tree: TemplateTree, visit: Visit): void => visitBody(tree.body, new Set(), visit);

/** `own` grows as statements assign; blocks get a copy, because what they assign ends with them. */
function visitBody(body: readonly Statement[], own: Set<string>, visit: Visit): void {
  for (const statement of body) visitStatement(statement, own, visit);
}

function visitStatement(node: Statement, own: Set<string>, visit: Visit): void {
  if (node.kind === 'text') return;
  if (node.kind === 'output') return visit(node.expression, own);
  const inside = new Set([...own, ...assignedBy(node)]);
  switch (node.kind) {
    case 'if': {
      for (const { test } of node.branches) visit(test, own);
      // Only a name that every branch assigns is the template's own afterwards.
      const branches = bodiesOf(node).map((body) => {
        const names = new Set(own);
        visitBody(body, names, visit);
        return names;
      });
      const [first = new Set<string>(), ...rest] = branches;
      for (const name of first) if (rest.every((names) => names.has(name))) own.add(name);
      return;
    }
    case 'for': {
      visit(node.iterable, own);
      if (node.condition !== undefined) visit(node.condition, new Set([...own, ...namesOf(node.target)]));
      visitBody(node.body, inside, visit);
      visitBody(node.otherwise, new Set(own), visit);
      return;
    }
    case 'macro': {
      own.add(node.name);
      for (const expression of expressionsOf(node)) visit(expression, inside);
      visitBody(node.body, inside, visit);
      return;
    }
    case 'call-block': {
      visit(node.call, own);
      for (const { fallback } of node.parameters) if (fallback !== undefined) visit(fallback, inside);
      visitBody(node.body, inside, visit);
      return;
    }
    default: {
      for (const expression of expressionsOf(node)) visit(expression, own);
      for (const body of bodiesOf(node)) visitBody(body, node.kind === 'with' ? inside : new Set(own), visit);
      if (node.kind === 'set' || node.kind === 'set-block') for (const name of assignedBy(node)) own.add(name);
    }
  }
}
