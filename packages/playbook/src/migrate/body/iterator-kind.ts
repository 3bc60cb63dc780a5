import type { Journal } from '../journal.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, fieldOf, rekeyed, replacedValue, textOf, withEntry } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';

/** What an iterator said, by what a loop calls it. */
const LOOP_KEYS: Readonly<Record<string, string>> = {
  collection: 'in',
  in: 'in',
  items: 'in',
  element: 'iterator',
  iterator: 'iterator',
  item: 'iterator',
  mode: 'mode',
  limit: 'limit',
};

const WORK = ['task', 'tool', 'tasks'];

/** `tool: { kind: iterator, collection, element, task }`: repeating is a property of the step, and its tool is the task. */
export function migrateIterator(step: MapTree, journal: Journal): MapTree {
  const tool = entryOf(step, 'tool');
  if (tool?.value.kind !== 'map' || textOf(fieldOf(tool.value, 'kind')) !== 'iterator') return step;
  const fields = tool.value.entries.filter(({ key }) => key !== 'kind');
  const work = fields.find(({ key }) => WORK.includes(key));
  const foreign = fields.find((part) => part !== work && !Object.hasOwn(LOOP_KEYS, part.key));
  if (work === undefined || foreign !== undefined || entryOf(step, 'loop') !== undefined) {
    journal.problem(
      (foreign ?? tool).at,
      foreign === undefined
        ? 'the iterator does not say what it does for each item'
        : `the iterator has '${foreign.key}'`,
      'Give the step a loop with in and iterator, and the task as its tool.',
    );
    return step;
  }
  journal.note('loop-iterator', tool.at, 'the iterator becomes the loop of the step, and its task the tool');
  const parts = fields.flatMap((part): readonly EntryTree[] => {
    const key = LOOP_KEYS[part.key];
    return part === work || key === undefined ? [] : [key === part.key ? part : rekeyed(part, key)];
  });
  const worked = replacedValue(step, 'tool', work.value);
  return withEntry(worked, entry('loop', map(...parts), tool.at), {
    after: entryOf(step, 'desc') === undefined ? 'step' : 'desc',
  });
}
