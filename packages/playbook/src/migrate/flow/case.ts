import { entry, map } from '../tree/build.ts';
import { entryOf, fieldOf } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { actionOf, type CaseEntry, readCase } from './case-entry.ts';
import { givesAnother, withResults, withSinks } from './case-following.ts';
import { caseRules } from './case-rules.ts';
import { caseWays } from './case-ways.ts';
import { withKeptAnswer } from './kept-answer.ts';
import { readNext, waysIn } from './next.ts';
import { withPaging } from './paging.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import { attemptsOf } from './retry-backoff.ts';
import { withRouter } from './router.ts';
import { readSetValues, setEntries } from './set-values.ts';
import type { StepFlow } from './step-flow.ts';
import { withLeading, withOutcomeRules } from './step-pipeline.ts';
import { renamedText } from './text-condition.ts';
import { routesOf, type Way } from './way.ts';

/**
 * Seed 003: `case` is tried top down and the first entry that holds wins. Retries and what is kept become rules of the
 * task, sinks and results tasks behind it, and where it goes on becomes arcs. Undefined, with a problem, where one of the
 * entries cannot be said: then the step stays as it is.
 */
export function migrateCase(step: MapTree, clause: EntryTree, flow: StepFlow): MapTree | undefined {
  const entries = readCase(clause, flow);
  if (entries === undefined || !areSayable(entries, flow)) return undefined;
  const ends = entries.filter(({ condition }) => condition.event !== 'enter');
  const paging = ends.find(isPaging);
  if (paging !== undefined && !isSingleWay(ends, flow)) return undefined;
  // When the last page is there the answer that conditions looked at is no more: one way is left.
  const left = paging === undefined ? ends : ends.filter((one) => one !== paging).map(unconditional);
  const worked = paging === undefined ? withRules(step, ends, flow) : withPages(step, ends, paging, flow);
  const ways = worked && readWays(worked, left, flow);
  if (worked === undefined || ways === undefined) return undefined;
  const sunk = withSinks(worked, left, flow);
  const kept = sunk && (givesAnother(left, flow) ? withKeptAnswer(sunk, ways, clause.at, flow) : { step: sunk, ways });
  const followed = kept && withResults(kept.step, left, flow);
  const entered = followed && withEntering(followed, entries, flow);
  return entered && kept && withArcs(entered, clause, kept.ways, flow);
}

const unconditional = (one: CaseEntry): CaseEntry =>
  one.condition.event === 'success'
    ? { ...one, when: undefined, condition: { ...one.condition, rest: true, named: false } }
    : one;

function isSingleWay(entries: readonly CaseEntry[], { journal }: StepFlow): boolean {
  const routed = entries.filter((one) => one.condition.event === 'success' && actionOf(one, 'next') !== undefined);
  const second = routed[1];
  if (second === undefined) return true;
  journal.problem(
    second.at,
    'after the last page several steps may follow, by conditions on an answer that is not kept',
    'Keep what the conditions look at with set_ctx, and page in the policy of the task.',
  );
  return false;
}

function isPaging(one: CaseEntry): boolean {
  const retry = actionOf(one, 'retry');
  const params = retry?.value.kind === 'map' ? fieldOf(retry.value, 'params') : undefined;
  return params !== undefined || actionOf(one, 'call', 'next_call') !== undefined;
}

/** Whether every entry does what can be done at its event; problems otherwise. */
function areSayable(entries: readonly CaseEntry[], flow: StepFlow): boolean {
  const fault = entries.map((one) => faultOf(one, entries, flow)).find((found) => found !== undefined);
  if (fault === undefined) return true;
  flow.journal.problem(
    fault.at,
    fault.what,
    'Say it with policy rules (retry, set_ctx, fail), tasks behind the work of the step, and arcs; then migrate.',
  );
  return false;
}

interface Fault {
  readonly at: number;
  readonly what: string;
}

function faultOf(one: CaseEntry, entries: readonly CaseEntry[], { loops }: StepFlow): Fault | undefined {
  const { event, wholeLoop, rest } = one.condition;
  const does = (...keys: readonly string[]) => actionOf(one, ...keys);
  const pages = entries.filter(isPaging);
  const fault = (action: EntryTree | undefined, what: string): Fault | undefined =>
    action && { at: action.at, what: `'${action.key}' of an entry of 'case' ${what}` };
  if (event === 'enter') {
    const other = one.actions.find(({ key }) => key !== 'set' && key !== 'vars');
    if (rest !== true || loops) return fault(one.actions[0], 'is done before the step under a condition, or in a loop');
    return fault(other, 'is done before the work of the step');
  }
  if (event === 'failure')
    return fault(does('sink', 'result', 'collect', 'call', 'next_call'), 'is done after the work of the step failed');
  if (loops && wholeLoop)
    return fault(
      one.actions.find(({ key }) => key !== 'next'),
      'is done once after a loop',
    );
  if (loops && !isPaging(one))
    return fault(does('set', 'vars', 'result'), 'is about a loop as a whole or about one item');
  if (pages.length === 0) return fault(does('collect'), 'collects, and no entry fetches a next page');
  if (pages.length > 1) return fault(pages[1]?.actions[0], 'fetches a next page, as another entry does');
  return fault(does('sink', 'set', 'vars', 'fail'), 'is done beside fetching further pages');
}

function withRules(step: MapTree, entries: readonly CaseEntry[], flow: StepFlow): MapTree | undefined {
  const rules = caseRules(entries, flow);
  return rules && withOutcomeRules(step, rules);
}

/** The entry whose next call has other parameters. */
function withPages(
  step: MapTree,
  entries: readonly CaseEntry[],
  paging: CaseEntry,
  flow: StepFlow,
): MapTree | undefined {
  const rules = caseRules(
    entries.filter(({ condition }) => condition.event === 'failure'),
    flow,
  );
  const retry = actionOf(paging, 'retry')?.value;
  const params = retry?.kind === 'map' ? entryOf(retry, 'params') : undefined;
  const call = actionOf(paging, 'call', 'next_call')?.value;
  const next = params === undefined ? call : map(params);
  if (rules === undefined || next?.kind !== 'map') return undefined;
  const calls = retry?.kind === 'map' ? attemptsOf(retry) : undefined;
  const collect = actionOf(paging, 'collect');
  const { rest } = paging.condition;
  const more = rest === true ? true : renamedText(rest, 'policy', paging.at, flow);
  return withPaging(
    step,
    { more, asked: rest === true ? '' : rest, next, calls, collect, at: paging.at, above: paging.above },
    rules,
    flow,
  );
}

/** `step.enter`: values that are set before the step's work. */
function withEntering(step: MapTree, entries: readonly CaseEntry[], flow: StepFlow): MapTree | undefined {
  const actions = entries.filter(({ condition }) => condition.event === 'enter').flatMap((one) => one.actions);
  let tree = step;
  for (const action of [...actions].reverse()) {
    const values = readSetValues(action, flow);
    if (values === undefined) return undefined;
    const { at } = action;
    const rule = policyRule(undefined, [entry('do', 'continue', at), ...setEntries(values, 'admission', at, flow)], at);
    flow.journal.note('case-rules', at, "what is set before the step's work is set by a first task");
    tree = withLeading(tree, 'enter', map(entry('kind', 'noop', at), policySpec([rule], at)), at);
  }
  return tree;
}

/** Where the step goes on: by its entries, else by its own `next`. */
function readWays(step: MapTree, entries: readonly CaseEntry[], flow: StepFlow): readonly Way[] | undefined {
  const next = entryOf(step, 'next');
  const read = next && readNext(next, flow);
  if (next !== undefined && read === undefined) return undefined;
  return caseWays(entries, read === undefined ? [] : waysIn(read), flow);
}

function withArcs(step: MapTree, clause: EntryTree, ways: readonly Way[], { journal }: StepFlow): MapTree {
  const { mode, arcs } = routesOf(ways);
  const next = fieldOf(step, 'next');
  journal.note('case-arcs', clause.at, `where '${clause.key}' goes on is now said by arcs`);
  if (mode === 'inclusive')
    journal.note(
      'next-parallel',
      clause.at,
      'several steps were taken side by side: the router takes every arc that holds',
    );
  return withRouter(step, {
    mode: mode === 'inclusive' ? mode : undefined,
    onFailure: undefined,
    arcs,
    list: next?.kind === 'list' ? next : undefined,
    at: clause.at,
  });
}
