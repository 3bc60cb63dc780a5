import type { Arc, Playbook, Step } from '../model/playbook.ts';
import { ctxWrites } from './ctx-writes.ts';
import { certainGraph, isUnconditional, type StepGraph, waits } from './graph.ts';
import type { Warn } from './warn.ts';

/** Steps, arcs and writes that may be looked at: a net that branches everywhere is not worth more. */
const BUDGET = 200_000;
/** Finding a write takes this many times as long as following an arc. */
const WRITE = 8;

/** What happens after one arc, up to the joins. */
interface Branch {
  /** The steps that surely run, each with the one before it on the shortest way. */
  readonly steps: ReadonlyMap<string, string | undefined>;
  /** Those that write each key. */
  readonly writers: ReadonlyMap<string, readonly Step[]>;
  readonly pathTo: (step: Step) => string;
}

/** Branches that surely run beside each other must not write the same key: the later one would win by chance. */
export function checkRaces(playbook: Playbook, graph: StepGraph, warn: Warn): void {
  const writes = ctxWrites(playbook);
  const certain = certainGraph(graph);
  let budget = writes.size === 0 ? 0 : BUDGET;
  const runningTwice = new Set<string>();
  for (const step of graph.steps.values()) {
    if (step.router?.mode !== 'inclusive') continue;
    const branches: Branch[] = [];
    for (const arc of step.router.arcs) {
      if (budget <= 0) return;
      if (!isUnconditional(arc) || !graph.steps.has(arc.step)) continue;
      const branch = branchAfter(arc, certain, writes);
      for (const name of branch.steps.keys()) budget -= 1 + (graph.arcsFrom.get(name)?.length ?? 0);
      for (const found of branch.writers.values()) budget -= WRITE * found.length;
      for (const other of branches) {
        budget -= 1 + other.writers.size;
        checkBranches(step, other, branch, runningTwice, warn);
      }
      branches.push(branch);
    }
  }
}

/** `runningTwice` holds the writes of a step that were warned of because several branches reach it. */
function checkBranches(step: Step, left: Branch, right: Branch, runningTwice: Set<string>, warn: Warn): void {
  const paths = (first: Step, second: Step) =>
    `${step.name} → ${left.pathTo(first)} and ${step.name} → ${right.pathTo(second)}`;
  for (const [key, writers] of left.writers) {
    const rivals = right.writers.get(key);
    if (rivals === undefined) continue;
    const writer = writers.find(({ name }) => !right.steps.has(name));
    const rival = rivals.find(({ name }) => !left.steps.has(name));
    const twice = writers.find(({ name }) => right.steps.has(name));
    if (writer !== undefined && rival !== undefined) {
      warn(
        'NOETL_CTX_RACE',
        writer.place,
        writer.name.length,
        `ctx.${key} is written by '${writer.name}' and by '${rival.name}', which run beside each other: ${paths(writer, rival)}`,
        'Use different keys, or join the branches before writing.',
      );
    } else if (twice !== undefined && !runningTwice.has(`${twice.name}\0${key}`)) {
      runningTwice.add(`${twice.name}\0${key}`);
      warn(
        'NOETL_CTX_RACE',
        twice.place,
        twice.name.length,
        `ctx.${key} is written by '${twice.name}', which runs once for each branch: ${paths(twice, twice)}`,
        'Join the branches before writing, for example with spec.join: all of this step.',
      );
    }
  }
}

function branchAfter(arc: Arc, certain: StepGraph, writes: ReadonlyMap<Step, ReadonlySet<string>>): Branch {
  const steps = new Map<string, string | undefined>([[arc.step, undefined]]);
  for (const name of steps.keys()) {
    for (const { step } of certain.arcsFrom.get(name) ?? []) if (!steps.has(step)) steps.set(step, name);
  }
  const paths = new Map<Step, string>();
  const pathTo = (step: Step): string => {
    const path = paths.get(step) ?? wayTo(step, steps);
    paths.set(step, path);
    return path;
  };
  return { steps, writers: writersAmong(steps.keys(), writes, certain), pathTo };
}

function wayTo(step: Step, before: ReadonlyMap<string, string | undefined>): string {
  const path: string[] = [];
  for (let name: string | undefined = step.name; name !== undefined; name = before.get(name)) path.push(name);
  return path.reverse().join(' → ');
}

/** Steps that surely run and write. A join waits, and an admission may let in only one. */
function writersAmong(
  names: Iterable<string>,
  writes: ReadonlyMap<Step, ReadonlySet<string>>,
  graph: StepGraph,
): ReadonlyMap<string, readonly Step[]> {
  const found = new Map<string, Step[]>();
  for (const name of names) {
    const step = graph.steps.get(name);
    if (step === undefined || waits(step) || step.admission.length > 0) continue;
    for (const key of writes.get(step) ?? []) {
      const writers = found.get(key);
      if (writers === undefined) found.set(key, [step]);
      else writers.push(step);
    }
  }
  return found;
}
