import type { ast } from '@noetl/template';
import { BINDING } from './binding.ts';
import { type ExpressionSpan, enclosedSpanOf, spanOf } from './expression-span.ts';
import { onlyExpression } from './parsed-template.ts';
import { bound } from './rewrite-template.ts';

/** Conditions are booleans, or text that is exactly one `{{ … }}` (DOC-15); so is what is made of them. */
export type ConditionText = string | boolean;

/** The expression of a text that is one `{{ … }}`, as it is written; undefined of any other text. */
export function expressionOf(condition: ConditionText): string | undefined {
  if (typeof condition === 'boolean') return String(condition);
  const source = condition.trim();
  const node = onlyExpression(source);
  if (node === undefined) return undefined;
  return written(node, source);
}

export const templateOf = (expression: string): string => `{{ ${expression} }}`;

/** The condition that holds where this one does not. */
export function negated(condition: string): string;
export function negated(condition: ConditionText): ConditionText;
export function negated(condition: ConditionText): ConditionText {
  if (typeof condition === 'boolean') return !condition;
  return templateOf(negatedExpression(inside(condition)));
}

/** Holds where all of them do; of none: always. */
export const conjunction = (conditions: readonly ConditionText[]): ConditionText =>
  joined(conditions, 'and', true, BINDING.and);

/** Holds where one of them does; of none: never. */
export const disjunction = (conditions: readonly ConditionText[]): ConditionText =>
  joined(conditions, 'or', false, BINDING.or);

/** `neutral` changes nothing, its opposite decides everything. */
function joined(
  conditions: readonly ConditionText[],
  operator: 'and' | 'or',
  neutral: boolean,
  binding: number,
): ConditionText {
  const constants = conditions.map(constantOf);
  if (constants.includes(!neutral)) return !neutral;
  const expressions = conditions.filter((_, i) => constants[i] === undefined).map(inside);
  const parts = [...new Set(expressions)];
  const [first] = parts;
  if (first === undefined) return neutral;
  if (parts.length === 1) return templateOf(first);
  return templateOf(parts.map((part) => bound(part, binding)).join(` ${operator} `));
}

/** A condition without parts that say nothing, or say it twice: `{{ true and a and a }}` is `{{ a }}`. */
export function simplified(condition: string): ConditionText {
  const source = condition.trim();
  const node = onlyExpression(source);
  if (node?.kind !== 'binary' || node.operator !== 'and') return condition;
  const parts = conjuncts(node).map((part) => templateOf(written(part, source)));
  const apart = new Set(parts).size === parts.length && parts.every((part) => constantOf(part) === undefined);
  return apart ? condition : conjunction(parts);
}

const conjuncts = (node: ast.Expression): readonly ast.Expression[] =>
  node.kind === 'binary' && node.operator === 'and' ? [...conjuncts(node.left), ...conjuncts(node.right)] : [node];

/** Of `true`, `{{ true }}` and their like. */
function constantOf(condition: ConditionText): boolean | undefined {
  if (typeof condition === 'boolean') return condition;
  const node = onlyExpression(condition.trim());
  return node?.kind === 'literal' && typeof node.value === 'boolean' ? node.value : undefined;
}

function inside(condition: ConditionText): string {
  const expression = expressionOf(condition);
  if (expression === undefined) throw new Error(`a condition is to be one '{{ … }}', found '${condition}'`);
  return expression;
}

const OPPOSITES: Readonly<Partial<Record<ast.CompareOperator, ast.CompareOperator>>> = {
  '==': '!=',
  '!=': '==',
  in: 'not in',
  'not in': 'in',
};

/** Only what is false exactly where the other is true: `<` and `>=` are both false for what has no order. */
function negatedExpression(expression: string): string {
  const source = templateOf(expression);
  const node = onlyExpression(source);
  if (node?.kind === 'literal' && typeof node.value === 'boolean') return String(!node.value);
  if (node?.kind === 'unary' && node.operator === 'not') return written(node.operand, source);
  if (node?.kind === 'test') return negatedTest(node, source);
  const [link, ...more] = node?.kind === 'compare' ? node.rest : [];
  const opposite = link && OPPOSITES[link.operator];
  if (node?.kind === 'compare' && opposite !== undefined && more.length === 0) {
    // With their parentheses: read apart, the name `not` behind an operator would be the word.
    const operands = [node.first, link?.operand ?? node.first].map((operand) => enclosedSpanOf(operand, source));
    return operands.map((span) => slice(source, span)).join(` ${opposite} `);
  }
  return `not ${bound(expression, BINDING.filtered)}`;
}

const slice = (source: string, { start, end }: ExpressionSpan): string => source.slice(start, end);

const written = (node: ast.Expression, source: string): string => slice(source, spanOf(node, source));

/** `x is defined` and `x is not defined`. */
function negatedTest(node: ast.Test, source: string): string {
  const { start, end } = spanOf(node, source);
  const tail = source.slice(node.at, end);
  const head = source.slice(start, node.at).replace(/\s*is(\s+not)?\s+$/, '');
  return `${head} is ${node.negated ? '' : 'not '}${tail}`;
}
