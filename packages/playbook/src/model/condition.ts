import type { Condition } from './playbook.ts';

/** What a condition is whatever happens: `true`, `"{{ false }}"`. Undefined if that is known only when it is read. */
export function constantOf(condition: Condition | undefined): boolean | undefined {
  if (condition === undefined) return true;
  if (condition.kind === 'constant') return condition.value;
  const [only, ...others] = condition.template.tree.body;
  if (only?.kind !== 'output' || others.length > 0 || only.expression.kind !== 'literal') return undefined;
  const { value } = only.expression;
  return typeof value === 'boolean' ? value : undefined;
}
