import { STORES } from '../../model/vocabulary.ts';
import type { Journal } from '../journal.ts';
import { entry, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, textOf, withEntry, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';

/** What a step said about keeping its result, and what its admission says without need. */
export function migrateStepSpec(step: MapTree, journal: Journal): MapTree {
  return withoutAdmissionMode(withResultStore(step, journal), journal);
}

/** Keys of `result` or `output` that say where a result is kept and what of it stays in the log. */
const STORAGE = new Set(['store', 'output_select', 'select', 'inline_max_bytes', 'scope']);

/** Of a step or of a task. */
export function withResultStore(step: MapTree, journal: Journal): MapTree {
  const old = ['output', 'result']
    .map((key) => entryOf(step, key))
    .find((part) => part !== undefined && isStorage(part));
  if (old?.value.kind !== 'map') return step;
  const store = fieldOf(old.value, 'store');
  const kind = store?.kind === 'map' ? textOf(fieldOf(store, 'kind')) : textOf(store);
  const known = STORES.find((name) => name === kind);
  const bare = without(step, old.key);
  if (known === undefined) {
    journal.note(
      'result-store',
      old.at,
      `'${old.key}' is left out: large results are kept by reference, and read where a template names them`,
    );
    return bare;
  }
  journal.note('result-store', old.at, `'${old.key}' becomes spec.result.store`);
  const spec = fieldOf(bare, 'spec');
  const result = entry('result', map(entry('store', scalar(known), old.at)), old.at);
  return spec?.kind === 'map'
    ? replacedValue(bare, 'spec', withEntry(spec, result))
    : withEntry(bare, entry('spec', map(result), old.at), {
        after: entryOf(bare, 'desc') === undefined ? 'step' : 'desc',
      });
}

const isStorage = ({ value }: EntryTree): boolean =>
  value.kind === 'map' && value.entries.length > 0 && value.entries.every(({ key }) => STORAGE.has(key));

/** The first rule that matches decides: there is no other mode. */
function withoutAdmissionMode(step: MapTree, journal: Journal): MapTree {
  const spec = fieldOf(step, 'spec');
  const policy = spec?.kind === 'map' ? fieldOf(spec, 'policy') : undefined;
  const admit = policy?.kind === 'map' ? fieldOf(policy, 'admit') : undefined;
  const mode = admit?.kind === 'map' ? entryOf(admit, 'mode') : undefined;
  if (spec?.kind !== 'map' || policy?.kind !== 'map' || admit?.kind !== 'map' || mode === undefined) return step;
  if (textOf(mode.value) !== 'exclusive') return step;
  journal.note('step-when', mode.at, 'mode exclusive is left out: the first rule that matches decides');
  return replacedValue(
    step,
    'spec',
    replacedValue(spec, 'policy', replacedValue(policy, 'admit', without(admit, 'mode'))),
  );
}
