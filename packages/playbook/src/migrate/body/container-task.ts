import { entry, map } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  rekeyed,
  renamedEntry,
  replacedValue,
  textOf,
  withEntries,
  withEntry,
  without,
} from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';
import { applied, isNothing, refused, removed, type TaskContext, type TaskRule, toSpec } from './task-rule.ts';

/** Keys of a Kubernetes job as older playbooks wrote them, and what they are here. */
const NAMES: Readonly<Record<string, string>> = {
  provider: 'runtime',
  serviceAccountName: 'service_account',
  backoffLimit: 'backoff_limit',
  activeDeadlineSeconds: 'timeout_seconds',
  restartPolicy: 'restart_policy',
};

const isZero = (tree: Tree): boolean => tree.kind === 'scalar' && tree.value === 0;

const JOB: readonly TaskRule[] = [
  toSpec('timeout_seconds', 'timeout'),
  removed('backoff_limit', { why: 'a task is tried once, unless its policy says more', when: isZero }),
  refused(
    'backoff_limit',
    "'backoff_limit' repeats the container",
    'Use a rule with do: retry.',
    (tree) => !isZero(tree),
  ),
  removed('restart_policy', { why: 'a container runs once', when: (tree) => textOf(tree) === 'Never' }),
  removed('cleanup', { why: 'what a task started is removed when it ends' }),
  removed('service_account', {
    why: 'containers run with the service account that the cluster gives them in their namespace',
    review: true,
  }),
];

/** A job of Kubernetes: `runtime` was a mapping, `args` a list, `env` a list of names and values. */
export const migrateContainer: TaskRule = (task, context) => {
  const flat = withoutRuntimeMap(task, context);
  const named = envMap(argsList(flat, context), context);
  const changed = applied(JOB, named, context);
  if (changed === task || fieldOf(changed, 'runtime') !== undefined) return changed;
  const at = entryOf(task, 'kind')?.at ?? 0;
  context.journal.note(
    'container-job',
    at,
    'runtime: kubernetes is said: older containers always were jobs of a cluster',
  );
  return withEntry(changed, entry('runtime', 'kubernetes', at), { after: 'kind' });
};

function withoutRuntimeMap(task: MapTree, { journal }: TaskContext): MapTree {
  const runtime = entryOf(task, 'runtime');
  if (runtime === undefined || runtime.value.kind !== 'map') return task;
  const inner = runtime.value.entries.map((part) => {
    const name = Object.hasOwn(NAMES, part.key) ? NAMES[part.key] : undefined;
    return name === undefined ? part : rekeyed(part, name);
  });
  journal.note('container-job', runtime.at, "what stands under 'runtime' stands beside it");
  return withEntries(
    task,
    task.entries.flatMap((part) => (part === runtime ? inner : [part])),
  );
}

function argsList(task: MapTree, { journal }: TaskContext): MapTree {
  const args = entryOf(task, 'args');
  if (args === undefined || args.value.kind !== 'list') return task;
  if (isNothing(args.value)) {
    journal.note('tool-field-removed', args.at, "'args' is left out: it is empty");
    return without(task, 'args');
  }
  journal.note('tool-field', args.at, "'args' becomes 'args_list'");
  return renamedEntry(task, 'args', 'args_list');
}

function envMap(task: MapTree, { journal }: TaskContext): MapTree {
  const env = entryOf(task, 'env');
  if (env === undefined || env.value.kind !== 'list') return task;
  const entries = env.value.items.map(({ value }) => variable(value));
  if (entries.some((part) => part === undefined)) {
    journal.problem(env.at, "'env' is a list, and not each item has a name and a value", 'Write env: { NAME: value }.');
    return task;
  }
  journal.note('tool-field', env.at, "'env' becomes a mapping from names to values");
  return replacedValue(task, 'env', map(...entries.flatMap((part) => part ?? [])));
}

function variable(tree: Tree): EntryTree | undefined {
  if (tree.kind !== 'map') return undefined;
  const name = textOf(fieldOf(tree, 'name'));
  const value = entryOf(tree, 'value');
  return name === undefined || value === undefined ? undefined : rekeyed(value, name);
}
