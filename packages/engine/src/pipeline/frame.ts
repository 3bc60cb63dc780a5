import type { Json, JsonMap, Task } from '@noetl/playbook';
import type { Reference, RunOptions, Scope } from '@noetl/template';
import { quoted } from '../abridge.ts';
import { isMap } from '../is-map.ts';
import { failure, type Outcome, type OutcomeError } from '../outcome.ts';
import { holdsTag, type Tagged, tagKey } from '../result-reference.ts';
import { attempt, leaving } from '../scope/attempt.ts';
import { type KnownValues, referencesRead, withKnownValues } from '../scope/known-values.ts';
import { readsOf } from '../scope/reads.ts';
import { render } from '../scope/render.ts';
import { type ScopeParts, templateScope, visibleOutcome } from '../scope/template-scope.ts';
import { typeName } from '../type-name.ts';
import type { PipelineState } from './pipeline-state.ts';

/** What a pipeline knows beside its state: its tasks, what its templates may read, and how far it may jump. */
export interface PipelineFrame {
  readonly tasks: readonly Task[];
  /** Tasks that `kind: workbook` calls by name. */
  readonly workbook: ReadonlyMap<string, Task>;
  readonly parts: ScopeParts;
  /** Values behind the references in the parts, as far as templates read them. */
  readonly known: KnownValues;
  /** Why the parts are not what the tasks need: no task can run. */
  readonly unreadable: OutcomeError | undefined;
  readonly run: RunOptions;
  readonly maxJumps: number;
}

/** The task in front of the pipeline as it runs: the call itself, or what it calls in the workbook. */
export interface CurrentTask {
  /** With the label of the call, and the policy that decides (TOOL-2: the outer one wins). */
  readonly task: Task;
  /** The args of the call, as state holds them, which the templates of what it calls see over the token's. */
  readonly callArgs: JsonMap;
  /** Whether the rules are those of the called task, and see its args. */
  readonly ownPolicy: boolean;
  /** The call names no task of the workbook. */
  readonly problem: OutcomeError | undefined;
}

/** Calls that call calls end somewhere, also where templates name them. */
const MAX_CALLS = 10;

export function currentTask(frame: PipelineFrame, state: PipelineState): CurrentTask {
  const called = frame.tasks[state.position];
  if (called === undefined) throw new Error(`a pipeline of ${frame.tasks.length} tasks has none at ${state.position}`);
  let current: CurrentTask = { task: called, callArgs: {}, ownPolicy: false, problem: frame.unreadable };
  for (let calls = 0; current.task.kind === 'workbook' && current.problem === undefined; calls++) {
    current = calls < MAX_CALLS ? followCall(frame, state, current) : tooDeep(current);
  }
  return current;
}

function followCall(frame: PipelineFrame, state: PipelineState, current: CurrentTask): CurrentTask {
  const { task } = current;
  const data = {
    kind: 'map',
    entries: [
      ['name', nameOf(task)],
      ['args', task.args ?? NO_ARGS],
    ],
  } as const;
  const rendered = attempt(() => leaving(render(data, taskScope(frame, state, current), frame.run)) as JsonMap);
  if ('error' in rendered) return { ...current, problem: rendered.error };
  const { name, args } = rendered.value;
  const called = typeof name === 'string' ? frame.workbook.get(name) : undefined;
  if (called === undefined) {
    const message = `the task '${task.label}' calls ${quoted(name)}, which the workbook does not have.`;
    return { ...current, problem: failure('workbook.unknown', message) };
  }
  if (!isMap(args)) return { ...current, problem: unfitArgs(task, args ?? null) };
  const outer = task.policy === undefined ? {} : { policy: task.policy };
  return {
    task: { ...called, label: task.label, ...outer },
    callArgs: { ...current.callArgs, ...args },
    ownPolicy: task.policy === undefined,
    problem: undefined,
  };
}

/** Args go to tools and workbook tasks by name. */
export const unfitArgs = ({ label }: Task, found: Json): OutcomeError =>
  failure('task.args', `'args' of the task '${label}' must be a mapping, found ${typeName(found)}.`);

const NO_ARGS = { kind: 'literal', value: {} } as const;

const nameOf = ({ fields }: Task) => fields.name ?? ({ kind: 'literal', value: null } as const);

const tooDeep = (current: CurrentTask): CurrentTask => ({
  ...current,
  problem: failure('limit.workbook_calls', `workbook tasks call each other more than ${MAX_CALLS} deep.`),
});

/** What the templates of a task may read. */
export const taskScope = (frame: PipelineFrame, state: PipelineState, current: CurrentTask): Scope =>
  templateScope(withKnownValues(partsOf(frame, state, current, true), taskReads(current.task), frame.known));

/** What the rules of a task may read; the outcome once there is one. */
export const policyScope = (
  frame: PipelineFrame,
  state: PipelineState,
  current: CurrentTask,
  outcome: Outcome | undefined,
): Scope =>
  templateScope(withKnownValues(policyParts(frame, state, current, outcome), policyReads(current.task), frame.known));

/** The same before references are replaced by what they stand for. */
export const policyParts = (
  frame: PipelineFrame,
  state: PipelineState,
  current: CurrentTask,
  outcome: Outcome | undefined,
): ScopeParts => partsOf(frame, state, current, current.ownPolicy, outcome);

/** RES-2: references that the task or its rules read and that are not loaded yet. */
export function missingValues(frame: PipelineFrame, state: PipelineState, outcome?: Outcome): readonly Tagged[] {
  const current = frame.tasks[state.position];
  if (current === undefined) return NOTHING;
  const reads = allReads(frame, current);
  if (reads.length === 0 || !holdsReference(frame.parts, state, outcome)) return NOTHING;
  const plain: CurrentTask = { task: current, callArgs: {}, ownPolicy: false, problem: undefined };
  const read = referencesRead(partsOf(frame, state, plain, true, outcome), reads);
  return read.filter((tagged) => !frame.known.has(tagKey(tagged)));
}

const NOTHING: readonly Tagged[] = [];

/** Whether there is any reference that could be read: mostly there is none, which is known without looking for each. */
const holdsReference = ({ ctx, args, workload, results, iter }: ScopeParts, state: PipelineState, outcome?: Outcome) =>
  [ctx, args, workload, results, iter, state.ctx, state.iter, state.prev, outcome as unknown as Json].some(holdsTag);

/** A call may lead to any task of the workbook. */
function allReads({ workbook }: PipelineFrame, task: Task): readonly Reference[] {
  if (task.kind !== 'workbook') return ownReads(task);
  return [...ownReads(task), ...[...workbook.values()].flatMap(ownReads)];
}

const ownReads = (task: Task): readonly Reference[] => [...taskReads(task), ...policyReads(task)];

function partsOf(
  { parts }: PipelineFrame,
  state: PipelineState,
  { task, callArgs }: CurrentTask,
  inCall: boolean,
  outcome?: Outcome,
): ScopeParts {
  // Named one by one: a copy of so many takes longer, and there is one for every look at a task.
  return {
    workload: parts.workload,
    ctx: over(parts.ctx, state.ctx),
    args: inCall ? over(parts.args, callArgs) : parts.args,
    execution_id: parts.execution_id,
    job: parts.job,
    results: parts.results,
    keychain: parts.keychain,
    iter: parts.iter === undefined ? undefined : over(parts.iter, state.iter),
    iterators: parts.iterators,
    _prev: state.prev,
    _task: task.label,
    _attempt: state.attempt,
    outcome: outcome === undefined ? undefined : visibleOutcome(outcome),
  };
}

/** The very same map where nothing lies over it. */
function over(map: JsonMap, upper: JsonMap): JsonMap {
  for (const _ in upper) return { ...map, ...upper };
  return map;
}

const taskReads = remembered(({ fields, args, auth }) => [args, auth, ...Object.values(fields)].flatMap(readsOf));

const policyReads = remembered(({ policy }) =>
  (policy?.rules ?? []).flatMap(({ when, then }) =>
    [when, then.delay, then.setIter, then.setCtx, ...then.setShared.map(({ value }) => value)].flatMap(readsOf),
  ),
);

/** A task of a playbook never changes, and is asked for what it reads with each of its attempts. */
function remembered(reads: (task: Task) => readonly Reference[]): (task: Task) => readonly Reference[] {
  const known = new WeakMap<Task, readonly Reference[]>();
  return (task) => {
    const found = known.get(task) ?? reads(task);
    known.set(task, found);
    return found;
  };
}
