import type { Json, JsonMap, SharedWrite, Task, Templated, Then } from '@noetl/playbook';
import { type RunOptions, type Scope, TemplateError } from '@noetl/template';
import type { Outcome, OutcomeError } from '../outcome.ts';
import { render } from '../scope/render.ts';
import { type ScopeParts, templateScope } from '../scope/template-scope.ts';
import { backoffDelay } from './backoff.ts';
import { type Choice, chooseRule, chooseSkip } from './choose-rule.ts';
import { enterTask, type PipelineState } from './pipeline-state.ts';

/** What a pipeline knows beside its state: its tasks, what its templates may read, and how far it may jump. */
export interface PipelineFrame {
  readonly tasks: readonly Task[];
  readonly parts: ScopeParts;
  readonly run: RunOptions;
  readonly maxJumps: number;
}

/** What became of one attempt: everything `task.done` records. */
export interface Step {
  readonly directive: Directive;
  readonly patches: Patches;
  readonly next: Next;
  /** The checkpoint: a worker that takes over goes on from here. */
  readonly state: PipelineState;
}

export interface Directive {
  readonly do: Then['do'];
  /** The position of the rule that chose it, `default` without a policy, `unmatched` where no rule held. */
  readonly rule: number | 'default' | 'unmatched';
}

export interface Patches {
  readonly set_iter?: JsonMap;
  readonly set_ctx?: JsonMap;
  readonly set_shared?: readonly SharedContribution[];
}

export interface SharedContribution {
  readonly key: string;
  readonly reduce: SharedWrite['reduce'];
  readonly value: Json;
}

export type Next =
  | { readonly kind: 'task'; readonly label: string }
  | { readonly kind: 'retry'; readonly seconds: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: OutcomeError };

/** ENG-11: the step that a rule takes before the body, so that the body does not run; undefined if it has to. */
export function advanceWithoutBody(frame: PipelineFrame, state: PipelineState): Step | undefined {
  const task = taskAt(frame, state);
  const scope = scopeOf(frame, state, task);
  return guarded(state, () => {
    const choice = chooseSkip(task, scope, frame.run);
    return choice === undefined ? undefined : take(frame, state, task, choice, undefined, scope);
  });
}

/** ENG-10: from the outcome of the current task to a directive and the state after it. */
export function advance(frame: PipelineFrame, state: PipelineState, outcome: Outcome): Step {
  const task = taskAt(frame, state);
  const scope = scopeOf(frame, state, task, outcome);
  return guarded(state, () => take(frame, state, task, chooseRule(task, scope, frame.run), outcome, scope));
}

function taskAt({ tasks }: PipelineFrame, { position }: PipelineState): Task {
  const task = tasks[position];
  if (task === undefined) throw new Error(`a pipeline of ${tasks.length} tasks has none at ${position}`);
  return task;
}

function scopeOf({ parts }: PipelineFrame, state: PipelineState, task: Task, outcome?: Outcome): Scope {
  return templateScope({
    ...parts,
    ctx: { ...parts.ctx, ...state.ctx },
    ...(parts.iter === undefined ? {} : { iter: { ...parts.iter, ...state.iter } }),
    _prev: state.prev,
    _task: task.label,
    _attempt: state.attempt,
    ...(outcome === undefined ? {} : { outcome }),
  });
}

/** TPL-4: an error in a policy fails the pipeline. */
function guarded<T>(state: PipelineState, body: () => T): T | Step {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const details = { code: error.code, line: error.line, column: error.column };
    const failure: OutcomeError = { kind: 'template', retryable: false, message: error.message, details };
    return { directive: { do: 'fail', rule: 'default' }, patches: {}, next: { kind: 'failed', error: failure }, state };
  }
}

function take(
  frame: PipelineFrame,
  state: PipelineState,
  task: Task,
  choice: Choice,
  outcome: Outcome | undefined,
  scope: Scope,
): Step {
  const directive = directiveOf(choice, outcome);
  const then = choice.kind === 'rule' ? choice.rule.then : undefined;
  const patches = then === undefined ? {} : renderPatches(then, scope, frame.run);
  // Every ok outcome becomes `_prev`; an error, a retry and a skip leave it.
  const keeps = outcome?.status !== 'ok' || directive.do === 'retry' || directive.do === 'skip';
  const patched: PipelineState = {
    ...state,
    prev: keeps ? state.prev : outcome.result,
    iter: { ...state.iter, ...patches.set_iter },
    ctx: { ...state.ctx, ...patches.set_ctx },
  };
  return { directive, patches, ...move(frame, patched, task, directive.do, then, outcome, scope) };
}

function directiveOf(choice: Choice, outcome: Outcome | undefined): Directive {
  if (choice.kind === 'rule') return { do: choice.rule.then.do, rule: choice.index };
  if (choice.kind === 'unmatched') return { do: 'continue', rule: 'unmatched' };
  return { do: outcome?.status === 'error' ? 'fail' : 'continue', rule: 'default' };
}

function move(
  frame: PipelineFrame,
  state: PipelineState,
  task: Task,
  directive: Then['do'],
  then: Then | undefined,
  outcome: Outcome | undefined,
  scope: Scope,
): Pick<Step, 'next' | 'state'> {
  switch (directive) {
    case 'continue':
    case 'skip':
      return goTo(frame, state, state.position + 1);
    case 'break':
      return { next: { kind: 'done' }, state };
    case 'fail':
      return { next: { kind: 'failed', error: outcome?.error ?? failedByPolicy(task) }, state };
    case 'jump':
      return jump(frame, state, then?.to ?? '');
    case 'retry':
      return retry(frame, state, task, then, outcome, scope);
  }
}

const failedByPolicy = ({ label }: Task): OutcomeError => ({
  kind: 'policy.fail',
  retryable: false,
  message: `a rule of the task '${label}' failed the pipeline.`,
  details: {},
});

function goTo({ tasks }: PipelineFrame, state: PipelineState, position: number): Pick<Step, 'next' | 'state'> {
  const task = tasks[position];
  if (task === undefined) return { next: { kind: 'done' }, state };
  return { next: { kind: 'task', label: task.label }, state: enterTask(state, position, task.label) };
}

function jump(frame: PipelineFrame, state: PipelineState, to: string): Pick<Step, 'next' | 'state'> {
  if (state.jumps >= frame.maxJumps) {
    const message = `the pipeline jumped ${frame.maxJumps} times, which is the limit.`;
    return { next: { kind: 'failed', error: { kind: 'limit.jumps', retryable: false, message, details: {} } }, state };
  }
  return goTo(
    frame,
    { ...state, jumps: state.jumps + 1 },
    frame.tasks.findIndex(({ label }) => label === to),
  );
}

/** ENG-10: `attempts` counts the tries of one visit, the first included; when they are used up, the task fails. */
function retry(
  { run }: PipelineFrame,
  state: PipelineState,
  task: Task,
  then: Then | undefined,
  outcome: Outcome | undefined,
  scope: Scope,
): Pick<Step, 'next' | 'state'> {
  if (then === undefined || state.attempt >= then.attempts) {
    const message = `the task '${task.label}' was tried ${state.attempt} times without success.`;
    const error = outcome?.error ?? { kind: 'retry.exhausted', retryable: false, message, details: {} };
    return { next: { kind: 'failed', error }, state };
  }
  const delay = render(then.delay, scope, run);
  if (typeof delay !== 'number' || !(delay >= 0)) {
    const message = `the delay of a retry of '${task.label}' is ${JSON.stringify(delay)}, expected a number of seconds.`;
    return { next: { kind: 'failed', error: { kind: 'retry.delay', retryable: false, message, details: {} } }, state };
  }
  return {
    next: { kind: 'retry', seconds: backoffDelay(then, delay, state.attempt) },
    state: { ...state, attempt: state.attempt + 1 },
  };
}

function renderPatches(then: Then, scope: Scope, run: RunOptions): Patches {
  const map = (data: Templated | undefined) => (data === undefined ? undefined : (render(data, scope, run) as JsonMap));
  const [iter, ctx] = [map(then.setIter), map(then.setCtx)];
  const shared = then.setShared.map(({ key, reduce, value }) => ({ key, reduce, value: render(value, scope, run) }));
  return {
    ...(iter === undefined ? {} : { set_iter: iter }),
    ...(ctx === undefined ? {} : { set_ctx: ctx }),
    ...(shared.length === 0 ? {} : { set_shared: shared }),
  };
}
