import type { Arguments, Expression, Statement, Target } from './ast.ts';

/** The expressions directly inside an expression, in the order they are evaluated. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'attribute':
      return [node.object];
    case 'item':
      return [node.object, node.key];
    case 'slice':
      return [node.object, ...present(node.start, node.stop, node.step)];
    case 'call':
      return [node.callee, ...argumentsOf(node.args)];
    case 'filter':
      return [...present(node.value), ...argumentsOf(node.args)];
    case 'test':
      return [node.value, ...argumentsOf(node.args)];
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'concat':
      return node.parts;
    case 'compare':
      return [node.first, ...node.rest.map((link) => link.operand)];
    case 'conditional':
      return [node.test, node.then, ...present(node.otherwise)];
    case 'list':
    case 'tuple':
      return node.items;
    case 'dict':
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
  }
}

function argumentsOf(args: Arguments): readonly Expression[] {
  return [...args.positional, ...args.named.map((argument) => argument.value), ...present(args.rest, args.more)];
}

const present = (...nodes: readonly (Expression | undefined)[]): readonly Expression[] =>
  nodes.filter((node) => node !== undefined);

/** The bodies directly inside a statement. */
export function bodiesOf(node: Statement): readonly (readonly Statement[])[] {
  switch (node.kind) {
    case 'text':
    case 'output':
    case 'set':
      return [];
    case 'if':
      return [...node.branches.map((branch) => branch.body), node.otherwise];
    case 'for':
      return [node.body, node.otherwise];
    default:
      return [node.body];
  }
}

/** The expressions directly inside a statement, without those of its bodies. */
export function expressionsOf(node: Statement): readonly Expression[] {
  switch (node.kind) {
    case 'text':
      return [];
    case 'output':
      return [node.expression];
    case 'if':
      return node.branches.map((branch) => branch.test);
    case 'for':
      return [node.iterable, ...present(node.condition)];
    case 'set':
      return [node.value];
    case 'set-block':
      return present(node.filter);
    case 'macro':
      return present(...node.parameters.map((parameter) => parameter.fallback));
    case 'call-block':
      return [node.call, ...present(...node.parameters.map((parameter) => parameter.fallback))];
    case 'filter-block':
      return [node.filter];
    case 'with':
      return node.assignments.map((assignment) => assignment.value);
  }
}

/** The names a target assigns. */
export function namesOf(target: Target): readonly string[] {
  switch (target.kind) {
    case 'name-target':
      return [target.name];
    case 'attribute-target':
      return [];
    case 'tuple-target':
      return target.items.flatMap(namesOf);
  }
}

/** The names a statement itself brings into being, inside it or after it. */
export function assignedBy(node: Statement): readonly string[] {
  switch (node.kind) {
    case 'for':
      return ['loop', ...namesOf(node.target)];
    case 'set':
    case 'set-block':
      return namesOf(node.target);
    case 'macro':
      return [node.name, ...MACRO_NAMES, ...node.parameters.map((parameter) => parameter.name)];
    case 'call-block':
      return [...MACRO_NAMES, ...node.parameters.map((parameter) => parameter.name)];
    case 'with':
      return node.assignments.flatMap((assignment) => namesOf(assignment.target));
    default:
      return [];
  }
}

const MACRO_NAMES = ['caller', 'varargs', 'kwargs'] as const;

/** Whether any expression under these statements satisfies the predicate. */
export function someExpression(body: readonly Statement[], holds: (node: Expression) => boolean): boolean {
  const inExpression = (node: Expression): boolean => holds(node) || childrenOf(node).some(inExpression);
  return body.some(
    (statement) =>
      expressionsOf(statement).some(inExpression) || bodiesOf(statement).some((inner) => someExpression(inner, holds)),
  );
}

export function someStatement(body: readonly Statement[], holds: (node: Statement) => boolean): boolean {
  return body.some((statement) => holds(statement) || bodiesOf(statement).some((inner) => someStatement(inner, holds)));
}
