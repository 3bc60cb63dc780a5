import type { Arc, Step } from '../model/playbook.ts';
import { keysOf } from '../names/provided-names.ts';
import { certainGraph, isUnconditional, reachable, type StepGraph, waits } from './graph.ts';
import type { Warn } from './warn.ts';

/** Steps, arcs and writes that may be looked at: a net that branches everywhere is not worth more. */
const BUDGET = 200_000;

/** What happens after one arc, up to the joins. */
interface Branch {
  readonly arc: Arc;
  readonly steps: ReadonlySet<string>;
  readonly writers: ReadonlyMap<string, readonly Step[]>;
}

/** Branches that surely run beside each other must not write the same key: the later one would win by chance. */
export function checkRaces(graph: StepGraph, warn: Warn): void {
  const keys = keysWrittenTwice(graph);
  const certain = certainGraph(graph);
  let budget = keys.size === 0 ? 0 : BUDGET;
  for (const step of graph.steps.values()) {
    if (step.router?.mode !== 'inclusive') continue;
    const branches: Branch[] = [];
    for (const arc of step.router.arcs) {
      if (budget <= 0) return;
      if (!isUnconditional(arc) || !graph.steps.has(arc.step)) continue;
      if (branches.some((other) => other.arc.step === arc.step)) continue;
      const steps = reachable(certain, [arc.step], waits);
      for (const name of steps) budget -= 1 + (graph.arcsFrom.get(name)?.length ?? 0);
      const branch = { arc, steps, writers: writersAmong(steps, keys, graph) };
      for (const other of branches) {
        budget -= 1 + other.writers.size;
        checkBranches(step, other, branch, certain, warn);
      }
      branches.push(branch);
    }
  }
}

function checkBranches(step: Step, left: Branch, right: Branch, certain: StepGraph, warn: Warn): void {
  for (const [key, writers] of left.writers) {
    const writer = writers.find(({ name }) => !right.steps.has(name));
    const rival = right.writers.get(key)?.find(({ name }) => !left.steps.has(name));
    if (writer === undefined || rival === undefined) continue;
    warn(
      'NOETL_CTX_RACE',
      writer.place,
      writer.name.length,
      `ctx.${key} is written by '${writer.name}' and by '${rival.name}', which run beside each other: ${step.name} → ${pathTo(writer, left, certain)} and ${step.name} → ${pathTo(rival, right, certain)}`,
      'Use different keys, or join the branches before writing.',
    );
  }
}

/** The shortest way from the branch's first step to the writer. */
function pathTo(writer: Step, { arc }: Branch, certain: StepGraph): string {
  const cameFrom = new Map<string, string | undefined>([[arc.step, undefined]]);
  for (const name of cameFrom.keys()) {
    if (name === writer.name) break;
    for (const { step } of certain.arcsFrom.get(name) ?? []) if (!cameFrom.has(step)) cameFrom.set(step, name);
  }
  const path: string[] = [];
  for (let name: string | undefined = writer.name; name !== undefined; name = cameFrom.get(name)) path.unshift(name);
  return path.join(' → ');
}

function writersAmong(
  names: ReadonlySet<string>,
  keys: ReadonlyMap<string, ReadonlySet<Step>>,
  graph: StepGraph,
): ReadonlyMap<string, readonly Step[]> {
  const found = new Map<string, Step[]>();
  for (const name of names) {
    const step = graph.steps.get(name);
    if (step === undefined || waits(step)) continue;
    for (const key of ctxKeys(step)) {
      if (!keys.has(key)) continue;
      const writers = found.get(key);
      if (writers === undefined) found.set(key, [step]);
      else writers.push(step);
    }
  }
  return found;
}

function keysWrittenTwice(graph: StepGraph): ReadonlyMap<string, ReadonlySet<Step>> {
  const writers = new Map<string, Set<Step>>();
  for (const step of graph.steps.values()) {
    for (const key of ctxKeys(step)) writers.set(key, (writers.get(key) ?? new Set()).add(step));
  }
  return new Map([...writers].filter(([, steps]) => steps.size > 1));
}

const ctxKeys = (step: Step): readonly string[] =>
  step.tasks.flatMap((task) =>
    (task.policy?.rules ?? []).flatMap(({ then }) =>
      then.setCtx === undefined ? [] : [...(keysOf(then.setCtx) ?? [])],
    ),
  );
