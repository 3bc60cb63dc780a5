import { kindSchema } from '../../kinds/kinds.ts';
import type { Journal } from '../journal.ts';
import { entry, map } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  mapItems,
  rekeyed,
  renamedEntry,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  without,
} from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';

/** Keys of a step in any dialect; whatever else stands beside `tool: <kind>` is a field of its task. */
const STEP_LEVEL = new Set([
  'step',
  'desc',
  'spec',
  'loop',
  'tool',
  'type',
  'next',
  'when',
  'case',
  'retry',
  'sink',
  'vars',
  'set',
  'set_ctx',
  'output',
  'end_loop',
  'after',
]);

/** Where the kind of work stands, in one dialect or another. */
export const STEP_WORDS = ['tool', 'type', 'kind'] as const;

/** Steps that did no work were given a kind all the same. */
const NO_WORK = new Set(['start', 'end', 'router', 'route', 'next', 'none', 'noop', 'end_loop']);

/** The older forms of `tool` as one task or a list of tasks; a list of tasks stays as it is. */
export function migrateToolForm(step: MapTree, journal: Journal): MapTree {
  const word = wordEntry(step);
  if (word !== undefined) return fromWord(step, word, journal);
  const tool = fieldOf(step, 'tool');
  if (tool === undefined) return step;
  if (tool.kind === 'list') {
    const tasks = mapItems(tool, (value) => task(value, journal));
    return tasks === tool ? step : replacedValue(step, 'tool', tasks);
  }
  const tasks = task(tool, journal);
  return tasks === tool ? step : replacedValue(step, 'tool', tasks);
}

/** `tool: python`, or `type: python` in a step without a tool. */
function wordEntry(step: MapTree): EntryTree | undefined {
  const tool = entryOf(step, 'tool');
  const found = tool ?? entryOf(step, 'type');
  return textOf(found?.value) === undefined ? undefined : found;
}

function fromWord(step: MapTree, word: EntryTree, journal: Journal): MapTree {
  const kind = textOf(word.value) ?? '';
  const fields = step.entries.filter(({ key }) => !STEP_LEVEL.has(key));
  const message = `'${word.key}: ${kind}'`;
  if (NO_WORK.has(kind) && kindSchema(kind) === undefined && !fields.some(({ key }) => kindField(key))) {
    journal.note('tool-none', word.at, `${message} is left out: the step does no work`);
    return without(step, word.key);
  }
  const moved = fields.filter(({ key }) => key !== 'result' || kind === 'noop');
  const names = moved.map(({ key }) => key);
  const listed = names.length === 0 ? '' : `, with ${names.map((name) => `'${name}'`).join(', ')} beside it`;
  journal.note('tool-kind', word.at, `${message} becomes tool.kind${listed}`);
  const body = map(entry('kind', word.value, word.at), ...moved);
  const tool = revalued(word.key === 'tool' ? word : rekeyed(word, 'tool'), body);
  return withEntries(
    step,
    step.entries.flatMap((part) => (part === word ? [tool] : moved.includes(part) ? [] : [part])),
  );
}

/** Whether some work reads the field. */
const kindField = (key: string): boolean => ['code', 'command', 'query', 'url', 'path', 'script'].includes(key);

/** A task with its kind: `type` for `kind`, and what stands under `tool` of a named task beside its name. */
function task(tree: Tree, journal: Journal): Tree {
  if (tree.kind !== 'map' || entryOf(tree, 'kind') !== undefined) return tree;
  const [only] = tree.entries;
  if (tree.entries.length === 1 && only !== undefined && only.value.kind === 'map') {
    const inner = task(only.value, journal);
    return inner === only.value ? tree : replacedValue(tree, only.key, inner);
  }
  const type = entryOf(tree, 'type');
  if (type !== undefined) {
    journal.note('tool-kind', type.at, "'type' becomes 'kind'");
    return renamedEntry(tree, 'type', 'kind');
  }
  const tool = entryOf(tree, 'tool');
  if (tool?.value.kind !== 'map') return tree;
  journal.note('tool-kind', tool.at, "the fields under 'tool' stand beside the name of the task");
  const { entries } = tool.value;
  return withEntries(
    tree,
    tree.entries.flatMap((part) => (part === tool ? entries : [part])),
  );
}

/** Fields of the work that stand beside `tool: { kind: … }` instead of in it. */
export function withFieldsInTool(step: MapTree, journal: Journal): MapTree {
  const tool = fieldOf(step, 'tool');
  const kind = tool?.kind === 'map' ? textOf(fieldOf(tool, 'kind')) : undefined;
  const fields = kind === undefined ? undefined : kindSchema(kind)?.fields;
  if (tool?.kind !== 'map' || fields === undefined) return step;
  const own = (key: string) => key === 'auth' || (Object.hasOwn(fields, key) && key !== 'result');
  const moved = step.entries.filter(({ key }) => !STEP_LEVEL.has(key) && own(key) && entryOf(tool, key) === undefined);
  if (moved.length === 0) return step;
  for (const { key, at } of moved) journal.note('tool-kind', at, `'${key}' stands beside the kind of the task`);
  const rest = withEntries(
    step,
    step.entries.filter((part) => !moved.includes(part)),
  );
  return replacedValue(rest, 'tool', withEntries(tool, [...tool.entries, ...moved]));
}
