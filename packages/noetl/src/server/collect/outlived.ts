import type { ExecutionEntry } from '../../ports/executions.ts';

/** What counts of an execution when it is asked whether it is still needed. */
export type Lived = Pick<ExecutionEntry, 'execution' | 'parent' | 'origin' | 'endedAt'>;

/**
 * The executions that are needed no more: they ended before the moment, and so did all that belong to them. Executions
 * that called each other belong together; what was forked needs what it was forked from (ENG-15), but not the other way.
 */
export function outlived(executions: readonly Lived[], before: number): readonly string[] {
  const byId = new Map(executions.map((lived) => [lived.execution, lived]));
  const families = new Map<string, Lived[]>();
  for (const lived of executions) {
    const root = rootOf(lived, byId);
    const family = families.get(root) ?? [];
    families.set(root, family);
    family.push(lived);
  }
  const needed = new Set<string>();
  const need = (root: string): void => {
    if (needed.has(root)) return;
    needed.add(root);
    for (const { origin } of families.get(root) ?? []) {
      const source = origin === undefined ? undefined : byId.get(origin.execution);
      if (source !== undefined) need(rootOf(source, byId));
    }
  };
  for (const [root, family] of families) {
    if (family.some(({ endedAt }) => endedAt === undefined || endedAt >= before)) need(root);
  }
  return [...families].flatMap(([root, family]) => (needed.has(root) ? [] : family.map(({ execution }) => execution)));
}

/** The uppermost of those that called it, as far as they are there. */
function rootOf(lived: Lived, byId: ReadonlyMap<string, Lived>): string {
  const seen = new Set<string>();
  let root = lived;
  while (root.parent !== undefined && !seen.has(root.execution)) {
    seen.add(root.execution);
    const parent = byId.get(root.parent);
    if (parent === undefined) break;
    root = parent;
  }
  return root.execution;
}
