import { type ast, type StaticPath, staticPathOf } from '@noetl/template';
import type { Replacement, Rewrite } from './rewrite-template.ts';
import { literalText } from './static-path.ts';

/** Kinds of errors that were statuses of the answer; those of today are told by the status itself. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  rate_limit: [429],
  server_error: [500, 502, 503, 504],
  auth: [401, 403],
  not_found: [404],
};

const RENAMED: Readonly<Record<string, string>> = { connection: 'http.connect', connection_error: 'http.connect' };

export const isOlderKind = (kind: unknown): boolean =>
  typeof kind === 'string' && (Object.hasOwn(STATUSES, kind) || Object.hasOwn(RENAMED, kind));

/** `error.kind == 'rate_limit'`, by the status of the answer. */
export function errorKindMeaning(
  status: string,
  kind: string,
  isKind: (reference: StaticPath) => boolean,
): NonNullable<Rewrite['expression']> {
  return (node) => {
    const compared = comparison(node);
    if (compared === undefined || !isKind(compared.reference)) return undefined;
    const { words, negative } = compared;
    if (!words.some(isOlderKind)) return undefined;
    const statuses = words.flatMap((word) => (Object.hasOwn(STATUSES, word) ? (STATUSES[word] ?? []) : []));
    const kinds = words.filter((word) => !Object.hasOwn(STATUSES, word)).map((word) => RENAMED[word] ?? word);
    const parts = [among(status, statuses.map(String), negative), among(kind, kinds.map(literalText), negative)];
    const text = parts.filter((part) => part !== undefined).join(negative ? ' and ' : ' or ');
    return { text, rule: 'name-error-kind' } satisfies Replacement;
  };
}

function among(reference: string, values: readonly string[], negative: boolean): string | undefined {
  const [only] = values;
  if (only === undefined) return undefined;
  if (values.length === 1) return `${reference} ${negative ? '!=' : '=='} ${only}`;
  return `${reference} ${negative ? 'not in' : 'in'} [${values.join(', ')}]`;
}

interface Comparison {
  readonly reference: StaticPath;
  readonly words: readonly string[];
  readonly negative: boolean;
}

/** `x == 'a'`, `'a' != x`, `x in ['a', 'b']`: a reference and the words that it is compared with. */
export function comparison(node: ast.Expression): Comparison | undefined {
  const [link, ...more] = node.kind === 'compare' ? node.rest : [];
  if (node.kind !== 'compare' || link === undefined || more.length > 0) return undefined;
  const sides =
    link.operator === '==' || link.operator === '!='
      ? [
          [node.first, link.operand],
          [link.operand, node.first],
        ]
      : [[node.first, link.operand]];
  if (!/^(?:==|!=|in|not in)$/.test(link.operator)) return undefined;
  for (const [side, other] of sides) {
    const reference = side && staticPathOf(side);
    const words = other && wordsOf(other, link.operator);
    if (reference !== undefined && words !== undefined)
      return { reference, words, negative: link.operator === '!=' || link.operator === 'not in' };
  }
  return undefined;
}

function wordsOf(node: ast.Expression, operator: ast.CompareOperator): readonly string[] | undefined {
  const listed = operator === 'in' || operator === 'not in';
  const items = listed && (node.kind === 'list' || node.kind === 'tuple') ? node.items : listed ? [] : [node];
  const words = items.flatMap((item) =>
    item.kind === 'literal' && typeof item.value === 'string' ? [item.value] : [],
  );
  return words.length > 0 && words.length === items.length ? words : undefined;
}
