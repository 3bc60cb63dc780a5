import type { Step } from '../model/playbook.ts';
import { reachable, type StepGraph } from './graph.ts';
import type { Warn } from './warn.ts';

/** Steps and arcs that may be looked at for joins: a net that is all joins is not worth more. */
const BUDGET = 200_000;

/** Joins that can never have what they wait for, or that have nothing to wait for. `cyclic` names the steps on cycles. */
export function checkJoins(graph: StepGraph, entry: string, cyclic: readonly string[], warn: Warn): void {
  const onCycle = new Set(cyclic);
  const cost = Array.from(graph.arcsFrom.values(), (arcs) => arcs.length + 1).reduce((sum, next) => sum + next, 0);
  let budget = BUDGET;
  for (const step of graph.steps.values()) {
    const cycle = onCycle.has(step.name);
    if (step.join === 'any' || step.join === 1 || (cycle && step.join === 'all')) continue;
    // Going back, forward, and counting.
    if (step.join !== 'all') budget -= 3 * cost;
    if (budget < 0) return;
    // On a cycle through the join itself tokens come round only after it has fired once.
    const before = cycle ? reachable(graph, [entry], (other) => other === step) : undefined;
    const sources = (graph.arcsInto.get(step.name) ?? [])
      .map((arc) => arc.from)
      .filter((name) => before === undefined || (name !== step.name && before.has(name)));
    const from = sources.join(', ') || 'nothing';
    if (step.join === 'all') {
      if (sources.length + (step.name === entry ? 1 : 0) < 2) {
        warn(
          'NOETL_JOIN_STARVED',
          step.place,
          step.name.length,
          `the join of '${step.name}' has nothing to wait for: it is reached only from ${from}`,
          'Remove spec.join, or add the arcs it should wait for.',
        );
      }
      continue;
    }
    const tokens = mostTokens(graph, entry, step);
    if (tokens < step.join) {
      warn(
        'NOETL_JOIN_STARVED',
        step.place,
        step.name.length,
        `the join of '${step.name}' waits for ${step.join} tokens, but only ${tokens} can come (from ${from})`,
        tokens < 2
          ? 'Remove spec.join, or let the branches run beside each other.'
          : `Set spec.join to ${tokens}, or to all.`,
      );
    }
  }
}

/**
 * How many tokens can come to a step before it first fires: exclusive routing sends one of several, inclusive routing
 * all. Infinity if a cycle can bring more, itself not counted.
 */
function mostTokens(graph: StepGraph, entry: string, step: Step): number {
  const leading = stepsBefore(graph, step);
  const known = new Map<string, number>([[step.name, 1]]);
  const open = [entry];
  const onTheWay = new Set<string>();
  // An explicit stack: a workflow of a thousand steps in a row must not overflow the call stack.
  for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
    if (known.has(name)) {
      open.pop();
      continue;
    }
    const targets = (graph.arcsFrom.get(name) ?? []).map((arc) => arc.step).filter((target) => leading.has(target));
    const unknown = targets.filter((target) => !known.has(target));
    if (unknown.some((target) => onTheWay.has(target) || target === name)) return Number.POSITIVE_INFINITY;
    if (unknown.length > 0) {
      onTheWay.add(name);
      open.push(...unknown);
      continue;
    }
    const counts = targets.map((target) => known.get(target) ?? 0);
    const all = graph.steps.get(name)?.router?.mode === 'inclusive';
    known.set(name, all ? counts.reduce((sum, count) => sum + count, 0) : Math.max(0, ...counts));
    onTheWay.delete(name);
    open.pop();
  }
  return known.get(entry) ?? 0;
}

/** Steps from which a token can come to `step`, itself included. */
function stepsBefore(graph: StepGraph, step: Step): ReadonlySet<string> {
  const found = new Set([step.name]);
  for (const name of found) for (const { from } of graph.arcsInto.get(name) ?? []) found.add(from);
  return found;
}
