import { entry, map } from '../tree/build.ts';
import { entryOf, rekeyed, revalued, textOf } from '../tree/edit.ts';
import type { EntryTree } from '../tree/tree.ts';
import type { Place, StepFlow } from './step-flow.ts';

/** Values that are kept, by where they are kept. */
export interface SetValues {
  readonly ctx: readonly EntryTree[];
  readonly iter: readonly EntryTree[];
}

const SCOPES: readonly string[] = ['ctx', 'iter', 'vars'];

/**
 * What `vars`, `set` or `set_ctx` keeps: `{ x }`, `{ ctx.x, iter.x }`, `{ ctx: { x } }` or `[{ name, value }]`; plain names
 * are those of ctx. Undefined, with a problem, where it cannot be told.
 */
export function readSetValues(clause: EntryTree, { journal }: StepFlow): SetValues | undefined {
  const given = clause.value.kind === 'map' ? clause.value.entries.flatMap(scoped) : namedValues(clause);
  const other = given?.find(({ key }) => key.includes('.') && !SCOPES.includes(scopeOf(key)));
  if (given === undefined || other !== undefined) {
    journal.problem(
      other?.at ?? clause.at,
      other === undefined ? `'${clause.key}' is no mapping` : `'${clause.key}' sets '${other.key}'`,
      'Values are kept in ctx, or in iter inside of a loop: write ctx.<name>, then migrate.',
    );
    return undefined;
  }
  const within = (scope: string) =>
    given.filter(({ key }) => scopeOf(key) === scope).map((one) => rekeyed(one, one.key.slice(scope.length + 1)));
  const plain = given.filter(({ key }) => !key.includes('.'));
  return { ctx: [...plain, ...within('ctx'), ...within('vars')], iter: within('iter') };
}

const scopeOf = (key: string): string => (key.includes('.') ? key.slice(0, key.indexOf('.')) : '');

/** `ctx: { x: 1 }` is `ctx.x: 1`. */
const scoped = (one: EntryTree): readonly EntryTree[] =>
  SCOPES.includes(one.key) && one.value.kind === 'map'
    ? one.value.entries.map((inner) => rekeyed(inner, `${one.key}.${inner.key}`))
    : [one];

function namedValues({ value }: EntryTree): readonly EntryTree[] | undefined {
  if (value.kind !== 'list') return undefined;
  const entries = value.items.map((part) => {
    const tree = part.value;
    const name = tree.kind === 'map' ? textOf(entryOf(tree, 'name')?.value) : undefined;
    const given = tree.kind === 'map' ? entryOf(tree, 'value') : undefined;
    return name === undefined || given === undefined ? undefined : { ...rekeyed(given, name), above: part.above };
  });
  const found = entries.filter((one) => one !== undefined);
  return found.length === entries.length ? found : undefined;
}

/** `set_ctx` and `set_iter` of a rule. */
export const setEntries = (
  { ctx, iter }: SetValues,
  place: Place,
  at: number,
  flow: StepFlow,
): readonly EntryTree[] => [...written('set_ctx', ctx, place, at, flow), ...written('set_iter', iter, place, at, flow)];

function written(
  key: string,
  values: readonly EntryTree[],
  place: Place,
  at: number,
  flow: StepFlow,
): readonly EntryTree[] {
  if (values.length === 0) return [];
  const renamed = values.map((one) => revalued(one, flow.renamed(one.value, place, one.at)));
  return [entry(key, map(...renamed), at)];
}
