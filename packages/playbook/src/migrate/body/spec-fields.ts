import { kindSchema } from '../../kinds/kinds.ts';
import { entryOf, replacedValue, withEntries, without } from '../tree/edit.ts';
import type { TaskRule } from './task-rule.ts';

/** Fields of a task in some dialect that its kind does not have any more, or has under another name. */
const OLDER = ['args', 'input', 'with', 'auth', 'credential', 'endpoint', 'payload', 'data', 'script', 'eval'];

/** What a task does stood under `spec` in some dialects: it stands beside `kind`. */
export const migrateSpecFields: TaskRule = (task, { kind, journal }) => {
  const spec = entryOf(task, 'spec');
  if (spec === undefined || spec.value.kind !== 'map') return task;
  const fields = kindSchema(kind)?.fields ?? {};
  const lifted = spec.value.entries.filter(({ key }) => Object.hasOwn(fields, key) || OLDER.includes(key));
  if (lifted.length === 0) return task;
  for (const { key, at } of lifted) {
    if (entryOf(task, key) === undefined) {
      journal.note('tool-spec', at, `spec.${key} stands beside 'kind'`);
    } else {
      journal.problem(at, `the task has '${key}' beside 'kind' and under spec`, 'Keep the one beside kind.');
      return task;
    }
  }
  const rest = without(spec.value, ...lifted.map(({ key }) => key));
  const bare = rest.entries.length === 0 ? without(task, 'spec') : replacedValue(task, 'spec', rest);
  const index = bare.entries.findIndex(({ key }) => key === 'spec');
  const split = index < 0 ? bare.entries.length : index;
  return withEntries(bare, [...bare.entries.slice(0, split), ...lifted, ...bare.entries.slice(split)]);
};
