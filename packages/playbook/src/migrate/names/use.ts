import type { ast } from '@noetl/template';

/** What becomes of a value: it is walked through, asked for its truth, asked whether it is there, or anything else. */
export type Use = 'list' | 'truth' | 'presence' | 'value';

const PRESENCE: ReadonlySet<string> = new Set(['defined', 'undefined', 'none']);

const WALKS: ReadonlySet<string> = new Set([
  'length',
  'count',
  'first',
  'last',
  'list',
  'map',
  'select',
  'selectattr',
  'reject',
  'rejectattr',
  'sort',
  'sum',
  'min',
  'max',
  'join',
  'groupby',
  'unique',
  'batch',
  'slice',
  'reverse',
  'random',
]);

/** What becomes of a child, given what becomes of the expression that it stands in. */
export function useIn(parent: ast.Expression, child: ast.Expression, use: Use): Use {
  switch (parent.kind) {
    case 'test':
      return child === parent.value && PRESENCE.has(parent.name) ? 'presence' : 'value';
    case 'filter':
      if (child !== parent.value) return 'value';
      if (parent.name === 'default' || parent.name === 'd') return use;
      return WALKS.has(parent.name) ? 'list' : 'value';
    case 'compare':
      return [parent.first, ...parent.rest.map(({ operand }) => operand)].some(isNone) ? 'presence' : 'value';
    case 'unary':
      return parent.operator === 'not' ? 'truth' : 'value';
    case 'binary':
      if (parent.operator !== 'and' && parent.operator !== 'or') return 'value';
      return child === parent.left ? 'truth' : use;
    case 'conditional':
      return child === parent.test ? 'truth' : use;
    case 'slice':
    case 'item':
      return child === parent.object ? 'list' : 'value';
    default:
      return 'value';
  }
}

const isNone = (node: ast.Expression): boolean => node.kind === 'literal' && node.value === null;
