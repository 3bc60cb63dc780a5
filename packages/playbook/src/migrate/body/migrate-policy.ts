import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entry, list, map } from '../tree/build.ts';
import {
  below,
  entryOf,
  fieldOf,
  mapItems,
  rekeyed,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  without,
} from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { type KeepContext, keptOnSuccess, migrateThen } from './kept-values.ts';
import { isElse, ruleOf, rulesOf, withRuleList } from './pipeline.ts';
import { withSpec } from './task-rule.ts';

/** The policy of a task: `eval` as rules, older shapes of rules, and what a task keeps by `set`. */
export function migratePolicy(
  task: MapTree,
  step: string,
  loops: boolean,
  facts: DocumentFacts,
  journal: Journal,
): MapTree {
  const context: KeepContext = { step, loops, facts, journal };
  const shaped = migrateRules(fromEval(policyMap(task, journal), journal), context);
  return keptOnSuccess(shaped, context);
}

/** `spec.policy` that is the list of rules itself. */
function policyMap(task: MapTree, journal: Journal): MapTree {
  const spec = fieldOf(task, 'spec');
  const policy = spec?.kind === 'map' ? entryOf(spec, 'policy') : undefined;
  if (spec?.kind !== 'map' || policy?.value.kind !== 'list') return task;
  journal.note('task-spec', policy.at, 'the rules of a policy stand under rules');
  const rules = map(entry('rules', policy.value, policy.at));
  return replacedValue(task, 'spec', replacedValue(spec, 'policy', rules));
}

/** Seed 002: entries of `eval` are tried top down, and an error that none matches fails. */
function fromEval(task: MapTree, journal: Journal): MapTree {
  const old = entryOf(task, 'eval');
  if (old === undefined) return task;
  if (old.value.kind !== 'list' || rulesOf(task).length > 0) {
    journal.problem(
      old.at,
      old.value.kind === 'list' ? "the task has 'eval' and spec.policy.rules" : "'eval' is no list",
      'Write spec.policy.rules: a list of { when, then: { do } }.',
    );
    return task;
  }
  journal.note('eval-rules', old.at, "'eval' becomes spec.policy.rules");
  const rules = mapItems(old.value, (value) => (value.kind === 'map' ? fromExpression(value) : value));
  const policy = map({
    ...rekeyed(revalued(old, withFailure(rules, old.at, journal)), 'rules'),
    above: { lines: [], column: 0 },
  });
  return withSpec(without(task, 'eval'), below(entry('policy', policy, old.at), old.above));
}

/** `{ expr, do, … }` or `{ else: { do, … } }`. */
function fromExpression(rule: MapTree): MapTree {
  const expression = entryOf(rule, 'expr') ?? entryOf(rule, 'when');
  if (expression === undefined || entryOf(rule, 'then') !== undefined) return rule;
  const when = expression.key === 'when' ? expression : rekeyed(expression, 'when');
  const then = rule.entries.filter((part) => part !== expression);
  const at = then[0]?.at ?? expression.at;
  return { ...map(when, entry('then', map(...then), at)), layout: { ...rule.layout, flow: false, slice: undefined } };
}

function withFailure(rules: Tree, at: number, journal: Journal): Tree {
  if (rules.kind !== 'list' || rules.items.some((rule) => isElse(rule) || catchesErrors(rule))) return rules;
  journal.note('error-fails', at, 'a rule is added: an error that no other rule matches fails');
  const then = [entry('do', 'fail', at)];
  return list(...rules.items, ruleOf("outcome.status == 'error'", then, at));
}

/** A rule for every error that comes to it. */
function catchesErrors({ value }: ItemTree): boolean {
  const when = value.kind === 'map' ? textOf(fieldOf(value, 'when')) : undefined;
  return when !== undefined && /^\{\{-?\s*outcome\.status\s*==\s*(['"])error\1\s*-?\}\}$/.test(when.trim());
}

/** Rules of older shapes: the directive stands under `then`, values are kept by set_ctx and set_iter. */
function migrateRules(task: MapTree, context: KeepContext): MapTree {
  const rules = rulesOf(task);
  const changed = rules.map((rule) =>
    rule.value.kind === 'map' ? revalued(rule, migrateRule(rule.value, context)) : rule,
  );
  return changed.every((rule, i) => rule === rules[i]) ? task : withRuleList(task, changed);
}

function migrateRule(rule: MapTree, context: KeepContext): MapTree {
  const shaped = withThen(rule, context.journal);
  const inner = fieldOf(shaped, 'else');
  if (inner?.kind === 'map') {
    const changed = thenOf(inner, context);
    return changed === inner ? shaped : replacedValue(shaped, 'else', changed);
  }
  return thenOf(shaped, context);
}

function thenOf(owner: MapTree, context: KeepContext): MapTree {
  const then = fieldOf(owner, 'then');
  if (then?.kind !== 'map') return owner;
  const changed = migrateThen(then, context);
  return changed === then ? owner : replacedValue(owner, 'then', changed);
}

/** `else: { do: … }` and `{ when, do: … }` with the directive under `then`. */
function withThen(rule: MapTree, journal: Journal): MapTree {
  const otherwise = entryOf(rule, 'else');
  if (otherwise?.value.kind === 'map' && entryOf(otherwise.value, 'do') !== undefined) {
    journal.note('eval-rules', otherwise.at, 'what else does stands under then');
    const { value } = otherwise;
    return replacedValue(rule, 'else', map(entry('then', value, value.entries[0]?.at ?? otherwise.at)));
  }
  const directive = entryOf(rule, 'do');
  if (directive === undefined || entryOf(rule, 'then') !== undefined) return rule;
  journal.note('eval-rules', directive.at, "what a rule does stands under 'then'");
  const head = (part: EntryTree) => part.key === 'when' || part.key === 'else' || part.key === 'expr';
  const then = entry('then', map(...rule.entries.filter((part) => !head(part))), directive.at);
  return withEntries(rule, [...rule.entries.filter(head), then]);
}
