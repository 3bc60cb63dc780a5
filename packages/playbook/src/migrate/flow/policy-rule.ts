import type { ConditionText } from '../names/condition.ts';
import { entry, flow as inline, item, list, map } from '../tree/build.ts';
import { rekeyed } from '../tree/edit.ts';
import type { Above, EntryTree, ItemTree } from '../tree/tree.ts';

export const NO_COMMENTS: Above = { lines: [], column: 0 };

/** A rule of a policy: `when` as it is to be written, or as its author wrote it; undefined for `else`. */
export function policyRule(
  when: ConditionText | EntryTree | undefined,
  then: readonly EntryTree[],
  at: number,
): ItemTree {
  const tree = map(...then);
  const directive = entry('then', then.length === 1 ? inline(tree) : tree, at);
  if (when === undefined) return item(map(entry('else', map(directive), at)), at);
  if (typeof when === 'object') return item(map({ ...named(when), above: NO_COMMENTS }, directive), at);
  return item(map(entry('when', when, at), directive), at);
}

const named = (when: EntryTree): EntryTree => (when.key === 'when' ? when : rekeyed(when, 'when'));

/** The `spec` of a task whose policy has these rules. */
export const policySpec = (rules: readonly ItemTree[], at: number): EntryTree =>
  entry('spec', map(entry('policy', map(entry('rules', list(...rules), at)), at)), at);
