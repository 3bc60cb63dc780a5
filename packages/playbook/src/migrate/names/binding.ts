import type { ast } from '@noetl/template';

/** How closely an expression holds together, loosest first: what stands where more is asked needs parentheses. */
export const BINDING = {
  tuple: 0,
  conditional: 1,
  or: 2,
  and: 3,
  not: 4,
  compare: 5,
  sum: 6,
  concat: 7,
  product: 8,
  power: 9,
  filtered: 10,
  signed: 11,
  postfix: 12,
} as const;

const OPERATORS: Readonly<Record<ast.BinaryOperator, number>> = {
  or: BINDING.or,
  and: BINDING.and,
  '+': BINDING.sum,
  '-': BINDING.sum,
  '*': BINDING.product,
  '/': BINDING.product,
  '//': BINDING.product,
  '%': BINDING.product,
  '**': BINDING.power,
};

/** How closely an expression without parentheses around it holds together. */
export function bindingOf(node: ast.Expression): number {
  switch (node.kind) {
    case 'conditional':
    case 'tuple':
    case 'compare':
    case 'concat':
      return BINDING[node.kind];
    case 'binary':
      return OPERATORS[node.operator];
    case 'unary':
      return node.operator === 'not' ? BINDING.not : BINDING.signed;
    case 'filter':
    case 'test':
      return BINDING.filtered;
    case 'literal':
      // `1.x` is no attribute of 1.
      return typeof node.value === 'string' ? BINDING.postfix : BINDING.signed;
    default:
      return BINDING.postfix;
  }
}

/** How closely what stands in the place of a child has to hold together. */
export function bindingAsked(parent: ast.Expression, child: ast.Expression): number {
  switch (parent.kind) {
    case 'attribute':
      return BINDING.postfix;
    case 'item':
    case 'slice':
      return child === parent.object ? BINDING.postfix : BINDING.conditional;
    case 'call':
      return child === parent.callee ? BINDING.postfix : BINDING.conditional;
    case 'filter':
      return child === parent.value ? BINDING.filtered : BINDING.conditional;
    case 'test':
      return child === parent.value ? BINDING.filtered : BINDING.postfix;
    case 'unary':
      // `not a == b` is `not (a == b)`, but few know.
      return parent.operator === 'not' ? BINDING.filtered : BINDING.signed;
    // Operators group to the left.
    case 'binary':
      return OPERATORS[parent.operator] + (child === parent.left ? 0 : 1);
    case 'concat':
      return BINDING.product;
    case 'compare':
      return BINDING.sum;
    case 'conditional':
      return child === parent.otherwise ? BINDING.conditional : BINDING.or;
    default:
      return BINDING.conditional;
  }
}
