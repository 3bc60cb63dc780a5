import { RUNTIME_VERSION } from '../../model/vocabulary.ts';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entry, flow, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, rekeyed, replacedValue, textOf, withEntry, without } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';

/** A workflow without a step named start began with its first. */
export function migrateEntry(root: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const [first] = facts.steps.keys();
  const workflow = entryOf(root, 'workflow');
  if (workflow === undefined || first === undefined || first === '' || facts.steps.has('start')) return root;
  const executor = fieldOf(root, 'executor');
  const spec = executor?.kind === 'map' ? fieldOf(executor, 'spec') : undefined;
  if (spec?.kind === 'map' && entryOf(spec, 'entry_step') !== undefined) return root;
  journal.note('entry-step', workflow.at, `executor.spec.entry_step says that it begins with '${first}'`);
  const named = entry('entry_step', first, workflow.at);
  const within = spec?.kind === 'map' ? withEntry(spec, named) : flow(map(named));
  if (executor?.kind === 'map')
    return replacedValue(root, 'executor', withEntry(executor, entry('spec', within, workflow.at)));
  return withEntry(root, entry('executor', map(entry('spec', within, workflow.at)), workflow.at), {
    after: 'metadata',
  });
}

type ExecutorRule = (executor: MapTree, journal: Journal) => MapTree;

/** The section that says how a playbook is run. */
export function migrateExecutor(root: MapTree, _facts: DocumentFacts, journal: Journal): MapTree {
  const executor = fieldOf(root, 'executor');
  if (executor?.kind !== 'map') return root;
  const changed = RULES.reduce((tree, rule) => rule(tree, journal), executor);
  if (changed === executor) return root;
  return changed.entries.length === 0 ? without(root, 'executor') : replacedValue(root, 'executor', changed);
}

const version: ExecutorRule = (executor, journal) => {
  const old = entryOf(executor, 'version');
  if (old === undefined || textOf(old.value) !== 'noetl-runtime/1') return executor;
  journal.note('executor-version', old.at, `executor.version becomes ${RUNTIME_VERSION}`);
  return replacedValue(executor, 'version', scalar(RUNTIME_VERSION));
};

const profile: ExecutorRule = (executor, journal) => {
  const old = entryOf(executor, 'profile');
  if (old === undefined || textOf(old.value) !== 'auto') return executor;
  journal.note('root-removed', old.at, 'executor.profile auto is left out: it is local unless it says distributed', {
    review: true,
  });
  return without(executor, 'profile');
};

const requires: ExecutorRule = (executor, journal) => {
  const old = entryOf(executor, 'requires');
  if (old === undefined) return executor;
  journal.note('root-removed', old.at, 'executor.requires is left out: every kind of work is always there');
  return without(executor, 'requires');
};

/** `no_next_is_error: false` is what always holds; policy held defaults that are keys of spec now. */
const spec: ExecutorRule = (executor, journal) => {
  const old = fieldOf(executor, 'spec');
  if (old?.kind !== 'map') return executor;
  const changed = policyDefaults(branchEnds(old, journal), journal);
  if (changed === old) return executor;
  return changed.entries.length === 0 ? without(executor, 'spec') : replacedValue(executor, 'spec', changed);
};

const branchEnds: ExecutorRule = (spec, journal) => {
  const old = entryOf(spec, 'no_next_is_error');
  if (old === undefined) return spec;
  if (old.value.kind === 'scalar' && old.value.value === false) {
    journal.note('root-removed', old.at, 'no_next_is_error: false is left out: a branch that goes nowhere ends');
    return without(spec, 'no_next_is_error');
  }
  journal.problem(
    old.at,
    "'no_next_is_error' makes a branch that goes nowhere an error",
    'Add a last arc to a step that fails: { kind: noop } with a rule do: fail.',
  );
  return spec;
};

const policyDefaults: ExecutorRule = (spec, journal) => {
  const old = entryOf(spec, 'policy');
  if (old?.value.kind !== 'map') return spec;
  const defaults = fieldOf(old.value, 'defaults');
  const timeout = defaults?.kind === 'map' ? entryOf(defaults, 'timeout_s') : undefined;
  const foreign = [
    ...old.value.entries.filter(({ key }) => key !== 'defaults' && key !== 'results'),
    ...(defaults?.kind === 'map' ? defaults.entries.filter((part) => part !== timeout) : []),
  ][0];
  if (foreign !== undefined) {
    journal.problem(
      foreign.at,
      `executor.spec.policy has '${foreign.key}'`,
      'Say it in the spec of the steps or tasks.',
    );
    return spec;
  }
  journal.note('root-removed', old.at, 'executor.spec.policy is left out: large results are always kept by reference');
  const bare = without(spec, 'policy');
  if (timeout === undefined || entryOf(spec, 'timeout') !== undefined) return bare;
  journal.note('task-spec', timeout.at, "'timeout_s' becomes executor.spec.timeout");
  return withEntry(bare, rekeyed(timeout, 'timeout'));
};

const RULES: readonly ExecutorRule[] = [version, profile, requires, spec];
