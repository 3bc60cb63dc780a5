import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { varHome } from '../names/var-home.ts';
import { entry, map, scalar } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  rekeyed,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  withEntry,
  without,
} from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree } from '../tree/tree.ts';
import { isElse, ruleOf, rulesOf, withRuleList } from './pipeline.ts';

export interface KeepContext {
  readonly step: string;
  readonly loops: boolean;
  readonly facts: DocumentFacts;
  readonly journal: Journal;
}

/** Values that are kept, by where. */
interface Kept {
  readonly ctx: readonly EntryTree[];
  readonly iter: readonly EntryTree[];
}

/** What a rule does: values kept under older names, and a delay that never grows. */
export function migrateThen(then: MapTree, context: KeepContext): MapTree {
  return withoutFixed(withoutVars(withoutSet(then, context), context), context.journal);
}

/** `set: { ctx.page: 2, iter.id: 1 }`. */
function withoutSet(then: MapTree, { journal }: KeepContext): MapTree {
  const set = entryOf(then, 'set');
  if (set?.value.kind !== 'map') return then;
  journal.note('set-ctx', set.at, "'set' becomes set_ctx and set_iter");
  return withKept(without(then, 'set'), keptBy(set.value), set.at);
}

/** By the scope before the dot; a name alone is a value of the execution. */
function keptBy(set: MapTree): Kept {
  const scoped = (scope: string) =>
    set.entries
      .filter(({ key }) => key.startsWith(`${scope}.`))
      .map((part) => rekeyed(part, part.key.slice(scope.length + 1)));
  const bare = set.entries.filter(({ key }) => !/^(?:ctx|iter)\./.test(key));
  return { ctx: [...scoped('ctx'), ...bare], iter: scoped('iter') };
}

/** Seed 002: variables of one run of the step. */
function withoutVars(then: MapTree, { step, facts, journal }: KeepContext): MapTree {
  const vars = entryOf(then, 'set_vars');
  if (vars?.value.kind !== 'map') return then;
  const homes = vars.value.entries.map((part) => ({ part, home: varHome(facts, step, part.key) }));
  const at = (scope: 'ctx' | 'iter') =>
    homes.flatMap(({ part, home }) =>
      home.scope === scope ? [home.key === part.key ? part : rekeyed(part, home.key)] : [],
    );
  journal.note('set-vars', vars.at, "'set_vars' becomes set_ctx, in a loop set_iter");
  for (const { key, at: place } of vars.value.entries) {
    const reader = readerOf(facts, key);
    if (reader !== undefined)
      journal.note(
        'set-vars',
        place,
        `'${key}' belonged to one run of the step; the step '${reader}' reads it, so that it is 'ctx.${key}' of the execution`,
        { review: true },
      );
  }
  return withKept(without(then, 'set_vars'), { ctx: at('ctx'), iter: at('iter') }, vars.at);
}

/** A step that reads a variable which only others set. */
const readerOf = ({ names }: DocumentFacts, key: string): string | undefined =>
  [...names.steps].find(([, { reads, sets }]) => reads.has(key) && !sets.has(key))?.[0];

function withoutFixed(then: MapTree, journal: Journal): MapTree {
  const backoff = entryOf(then, 'backoff');
  if (backoff === undefined || textOf(backoff.value) !== 'fixed') return then;
  journal.note('backoff-fixed', backoff.at, 'backoff fixed becomes none');
  return replacedValue(then, 'backoff', scalar('none'));
}

function withKept(then: MapTree, { ctx, iter }: Kept, at: number): MapTree {
  return withPatch(withPatch(then, 'set_ctx', ctx, at), 'set_iter', iter, at);
}

function withPatch(then: MapTree, key: string, parts: readonly EntryTree[], at: number): MapTree {
  if (parts.length === 0) return then;
  const old = fieldOf(then, key);
  if (old?.kind !== 'map') return withEntry(then, entry(key, map(...parts), at));
  const added = parts.filter((part) => entryOf(old, part.key) === undefined);
  return replacedValue(then, key, withEntries(old, [...old.entries, ...added]));
}

const OK = "outcome.status == 'ok'";

/** `set` of a task keeps values when it succeeds: by each rule that goes on, or by one of its own. */
export function keptOnSuccess(task: MapTree, { journal }: KeepContext): MapTree {
  const set = entryOf(task, 'set');
  if (set?.value.kind !== 'map') return task;
  journal.note('set-ctx', set.at, "'set' of the task becomes set_ctx in its policy");
  const bare = without(task, 'set');
  const kept = keptBy(set.value);
  const then = () => [...withKept(map(entry('do', 'continue', set.at)), kept, set.at).entries];
  const rules = rulesOf(bare);
  if (rules.length === 0)
    return withRuleList(bare, [ruleOf(OK, then(), set.at), ruleOf(undefined, [entry('do', 'fail', set.at)], set.at)]);
  const keeping = rules.map((rule) => (goesOn(rule) ? keptByRule(rule, kept, set.at) : rule));
  return withRuleList(bare, rules.some(isElse) ? keeping : [...keeping, ruleOf(OK, then(), set.at)]);
}

/** Whether the rule may match a success, and the pipeline goes on then. */
function goesOn({ value }: ItemTree): boolean {
  const when = value.kind === 'map' ? textOf(fieldOf(value, 'when')) : undefined;
  const directive = textOf(fieldOf(thenIn(value) ?? map(), 'do')) ?? '';
  return ['continue', 'break', 'jump'].includes(directive) && !/error/.test(when ?? '');
}

function thenIn(rule: ItemTree['value']): MapTree | undefined {
  if (rule.kind !== 'map') return undefined;
  const inner = fieldOf(rule, 'else');
  const then = fieldOf(inner?.kind === 'map' ? inner : rule, 'then');
  return then?.kind === 'map' ? then : undefined;
}

function keptByRule(rule: ItemTree, kept: Kept, at: number): ItemTree {
  const { value } = rule;
  const then = thenIn(value);
  if (value.kind !== 'map' || then === undefined) return rule;
  const changed = withKept(then, kept, at);
  const inner = fieldOf(value, 'else');
  return revalued(
    rule,
    inner?.kind === 'map'
      ? replacedValue(value, 'else', replacedValue(inner, 'then', changed))
      : replacedValue(value, 'then', changed),
  );
}
