import type { Playbook, Task } from '../model/playbook.ts';
import type { Templated } from '../model/templated.ts';
import type { Doubts, NameSource } from '../reading/doubts.ts';

/**
 * The names that a playbook itself provides in each scope. Undefined where they are known only when it runs, or where an
 * error leaves them open.
 */
export interface ProvidedNames {
  readonly workload: ReadonlySet<string> | undefined;
  readonly ctx: ReadonlySet<string> | undefined;
  readonly args: ReadonlySet<string> | undefined;
  /** The args that a task gives itself. */
  readonly argsOf: ReadonlyMap<Task, ReadonlySet<string> | undefined>;
  /** Names of the keychain with their position: an entry may use those before it. */
  readonly keychain: ReadonlyMap<string, number> | undefined;
  readonly steps: ReadonlySet<string> | undefined;
  /** What rules keep in iterations (set_iter), beside the iterators. */
  readonly iter: ReadonlySet<string> | undefined;
}

export function providedNames(playbook: Playbook, doubts: Doubts): ProvidedNames {
  const sure = <Names>(source: keyof ProvidedNames & NameSource, names: Names) =>
    doubts.names.has(source) ? undefined : names;
  const tasks = [...playbook.workflow.flatMap((step) => step.tasks), ...playbook.workbook.values()];
  const thens = tasks.flatMap((task) => task.policy?.rules.map((rule) => rule.then) ?? []);
  const arcs = playbook.workflow.flatMap((step) => step.router?.arcs ?? []);
  return {
    workload: sure('workload', keysOf(playbook.workload)),
    ctx: sure('ctx', union(thens.flatMap((then) => [then.setCtx, sharedKeys(then.setShared)]))),
    args: sure('args', union(arcs.map((arc) => arc.args))),
    argsOf: new Map(tasks.flatMap((task) => (task.args === undefined ? [] : [[task, keysOf(task.args)]]))),
    keychain: sure('keychain', new Map(playbook.keychain.map((entry, i) => [entry.name, i]))),
    steps: sure('steps', new Set(playbook.workflow.map((step) => step.name))),
    // Rules that could not be read leave ctx open, and what they keep in iterations too.
    iter: doubts.names.has('ctx') ? undefined : sure('iter', union(thens.map((then) => then.setIter))),
  };
}

const sharedKeys = (writes: readonly { readonly key: string }[]): Templated => ({
  kind: 'literal',
  value: Object.fromEntries(writes.map(({ key }) => [key, null])),
});

function union(maps: readonly (Templated | undefined)[]): ReadonlySet<string> | undefined {
  const all = new Set<string>();
  for (const map of maps) {
    if (map === undefined) continue;
    const keys = keysOf(map);
    if (keys === undefined) return undefined;
    for (const key of keys) all.add(key);
  }
  return all;
}

/** The keys of a mapping; undefined if a template makes it. */
export function keysOf(data: Templated): ReadonlySet<string> | undefined {
  if (data.kind === 'map') return new Set(data.entries.map(([key]) => key));
  if (data.kind !== 'literal') return undefined;
  return new Set(typeof data.value === 'object' && data.value !== null ? Object.keys(data.value) : []);
}
