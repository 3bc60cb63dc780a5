import type { Run } from '../../evaluation/run.ts';
import { typeFault } from '../../template-error.ts';
import { type List, ownList } from '../../values/list.ts';
import { iterate } from '../../values/sequence.ts';
import { isTrue } from '../../values/truth.ts';
import { attributeGetter } from '../attribute-path.ts';
import { defineVariadic, type FilterDefinition, textArgument } from '../definition.ts';

/** Filters that apply a test, a filter or an attribute to each item. They return lists, not lazy generators. */
export const SELECT_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  map: defineVariadic((run, value, args, named) => {
    if (!isTrue(value)) return ownList([]);
    const transform = mapper(run, args, named);
    return collect(run, value, (item, list) => list.push(transform(item)));
  }),
  select: selector(true, false),
  reject: selector(false, false),
  selectattr: selector(true, true),
  rejectattr: selector(false, true),
};

function mapper(run: Run, args: readonly unknown[], named: ReadonlyMap<string, unknown>): (item: unknown) => unknown {
  if (args.length === 0 && named.has('attribute')) {
    const extra = Array.from(named.keys()).find((name) => name !== 'attribute' && name !== 'default');
    if (extra !== undefined) throw typeFault(`the filter 'map' has no argument '${extra}'.`);
    return attributeGetter(run, named.get('attribute'), named.get('default'));
  }
  if (args.length === 0) throw typeFault("the filter 'map' needs the name of a filter, or attribute='…'.");
  const [name, ...rest] = args;
  const filter = textArgument(name, 'the filter to map');
  return (item) => run.settings.applyFilter(run, filter, item, rest, named);
}

function selector(keep: boolean, byAttribute: boolean): FilterDefinition {
  return defineVariadic((run, value, args, named) => {
    if (!isTrue(value)) return ownList([]);
    if (named.size > 0) throw typeFault('this filter takes no named arguments.');
    let get = (item: unknown): unknown => item;
    let rest = args;
    if (byAttribute) {
      if (args.length === 0) throw typeFault('this filter needs the name of an attribute.');
      get = attributeGetter(run, args[0]);
      rest = args.slice(1);
    }
    const test = tester(run, rest);
    return collect(run, value, (item, list) => {
      if (test(get(item)) === keep) list.push(item);
    });
  });
}

function tester(run: Run, args: readonly unknown[]): (item: unknown) => boolean {
  if (args.length === 0) return isTrue;
  const [name, ...rest] = args;
  const test = textArgument(name, 'the test to apply');
  return (item) => run.settings.applyTest(run, test, item, rest);
}

function collect(run: Run, value: unknown, visit: (item: unknown, list: List) => void): List {
  const items = iterate(value, run.budget);
  run.budget.items(items.length);
  const list = ownList([]);
  for (const item of items) visit(item, list);
  return list;
}
