import { reachable, type StepGraph } from './graph.ts';
import type { Warn } from './warn.ts';

/** Steps and arcs that may be looked at for joins on cycles: a net that is all cycles is not worth more. */
const BUDGET = 200_000;

/** Joins that can never have what they wait for, or that have nothing to wait for. `cyclic` names the steps on cycles. */
export function checkJoins(graph: StepGraph, entry: string, cyclic: readonly string[], warn: Warn): void {
  const onCycle = new Set(cyclic);
  const repeating = canRepeat(graph, cyclic);
  const cost = Array.from(graph.arcsFrom.values(), (arcs) => arcs.length + 1).reduce((sum, next) => sum + next, 0);
  let budget = BUDGET;
  for (const step of graph.steps.values()) {
    const cycle = onCycle.has(step.name);
    if (step.join === 'any' || step.join === 1 || (cycle && step.join === 'all')) continue;
    if (cycle) budget -= cost;
    if (budget < 0) return;
    const all = (graph.arcsInto.get(step.name) ?? []).map((arc) => arc.from);
    // On a cycle through the join itself tokens come round only after it has fired once.
    const before = cycle ? reachable(graph, [entry], (other) => other === step) : undefined;
    const sources = before === undefined ? all : all.filter((name) => name !== step.name && before.has(name));
    const tokens = sources.length + (step.name === entry ? 1 : 0);
    const from = sources.join(', ') || 'nothing';
    if (step.join === 'all') {
      if (tokens < 2) {
        warn(
          'NOETL_JOIN_STARVED',
          step.place,
          step.name.length,
          `the join of '${step.name}' has nothing to wait for: it is reached only from ${from}`,
          'Remove spec.join, or add the arcs it should wait for.',
        );
      }
    } else if (tokens < step.join && !sources.some((name) => repeating.has(name))) {
      warn(
        'NOETL_JOIN_STARVED',
        step.place,
        step.name.length,
        `the join of '${step.name}' waits for ${step.join} tokens, but only ${tokens} can come (from ${from})`,
        `Set spec.join to ${tokens}, or to all.`,
      );
    }
  }
}

/** Steps that can run more than once: they, or steps before them, are on a cycle or reached by several arcs. */
function canRepeat(graph: StepGraph, cyclic: readonly string[]): ReadonlySet<string> {
  const several = [...graph.arcsInto].flatMap(([name, arcs]) => (arcs.length > 1 ? [name] : []));
  return reachable(graph, [...cyclic, ...several]);
}
