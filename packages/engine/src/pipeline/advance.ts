import type { Json, JsonMap, Task, Templated, Then } from '@noetl/playbook';
import type { RunOptions, Scope } from '@noetl/template';
import { quoted } from '../abridge.ts';
import { isPatchTooLarge } from '../execution/value-slots.ts';
import { failure, type Outcome, type OutcomeError } from '../outcome.ts';
import { storedKey } from '../result-reference.ts';
import { attempt, leaving } from '../scope/attempt.ts';
import { render } from '../scope/render.ts';
import { misfit } from '../shared-write.ts';
import { backoffDelay } from './backoff.ts';
import {
  type Checkpoint,
  type Directive,
  type Next,
  type Patches,
  passCheckpoint,
  type SharedContribution,
} from './checkpoint.ts';
import { type Asking, type Choice, chooseRule, chooseSkip } from './choose-rule.ts';
import { currentTask, type PipelineFrame, policyScope } from './frame.ts';
import type { PipelineState } from './pipeline-state.ts';

/** What became of one attempt, and the pipeline after it. */
export interface Advance {
  readonly checkpoint: Checkpoint;
  readonly state: PipelineState;
}

/** ENG-11: what a rule makes of the task before its body, so that it does not run; undefined if it has to. */
export function advanceWithoutBody(frame: PipelineFrame, state: PipelineState): Advance | undefined {
  const current = currentTask(frame, state);
  const { task } = current;
  const { policy } = task;
  if (policy === undefined) return undefined;
  return guarded(state, undefined, (asking) => {
    const scope = policyScope(frame, state, current, undefined);
    const choice = chooseSkip(policy, scope, frame.run, asking);
    return choice === undefined ? undefined : take({ frame, state, task, scope, outcome: undefined }, choice);
  });
}

/** ENG-10: from the outcome of the current task to a directive and the state after it. */
export function advance(frame: PipelineFrame, state: PipelineState, outcome: Outcome): Advance {
  const current = currentTask(frame, state);
  const { task } = current;
  return guarded(state, outcome, (asking) => {
    if (task.policy === undefined) return withoutPolicy(frame, state, task, outcome);
    const scope = policyScope(frame, state, current, outcome);
    return take({ frame, state, task, scope, outcome }, chooseRule(task.policy, scope, frame.run, asking));
  });
}

/** ENG-10: ok goes on, an error fails. */
function withoutPolicy(frame: PipelineFrame, state: PipelineState, task: Task, outcome: Outcome): Advance {
  if (outcome.status === 'ok') {
    return passed(state, { outcome, directive: GO_ON, next: goTo(frame, state.position + 1) });
  }
  const error = outcome.error ?? failedByPolicy(task);
  return passed(state, { outcome, directive: FAIL, next: { kind: 'failed', error } });
}

const GO_ON: Directive = { do: 'continue', rule: 'default' };
const FAIL: Directive = { do: 'fail', rule: 'default' };

/** One attempt in front of its rule. */
interface Turn {
  readonly frame: PipelineFrame;
  readonly state: PipelineState;
  readonly task: Task;
  readonly scope: Scope;
  readonly outcome: Outcome | undefined;
}

/** TPL-4: an error in a policy fails the pipeline. */
function guarded<T>(state: PipelineState, outcome: Outcome | undefined, body: (asking: Asking) => T): T | Advance {
  let asked: number | undefined;
  const asking = (rule: number): void => {
    asked = rule;
  };
  const advanced = attempt(() => body(asking));
  if ('value' in advanced) return advanced.value;
  const next: Next = { kind: 'failed', error: advanced.error };
  const directive: Directive = { do: 'fail', rule: 'default', ...(asked === undefined ? {} : { asked }) };
  return passed(state, { directive, next, ...optional(outcome) });
}

function take(turn: Turn, choice: Choice): Advance {
  const directive = directiveOf(choice);
  const then = choice.kind === 'rule' ? choice.rule.then : undefined;
  const patches = then === undefined ? {} : renderPatches(then, turn.scope, turn.frame.run);
  const reserved = Object.keys(patches.set_iter ?? {}).find((key) => Object.hasOwn(turn.frame.parts.iter ?? {}, key));
  if (reserved !== undefined) {
    const error = failure('iter.reserved', `set_iter cannot set '${reserved}', which the loop itself provides.`);
    const next: Next = { kind: 'failed', error };
    return passed(turn.state, { ...optional(turn.outcome), directive: { ...directive, do: 'fail' }, next });
  }
  if (isPatchTooLarge(patches.set_ctx ?? {}, patches.set_iter ?? {}, sharedOf(patches))) {
    const message = `the task '${turn.task.label}' sets more keys than one event holds; set one key to a mapping instead.`;
    const next: Next = { kind: 'failed', error: failure('limit.patch', message) };
    return passed(turn.state, { ...optional(turn.outcome), directive: { ...directive, do: 'fail' }, next });
  }
  const unfit = patches.set_shared?.find(({ reduce, value }) => misfit(reduce, value) !== undefined);
  if (unfit !== undefined) {
    const next: Next = { kind: 'failed', error: unfitContribution(unfit) };
    return passed(turn.state, { ...optional(turn.outcome), directive: { ...directive, do: 'fail' }, next });
  }
  const next = nextOf(turn, directive.do, then);
  return passed(turn.state, { ...optional(turn.outcome), directive, ...patches, next });
}

const sharedOf = ({ set_shared = [] }: Patches): JsonMap =>
  Object.fromEntries(set_shared.map(({ key, value }) => [key, value]));

const unfitContribution = ({ key, reduce, value }: SharedContribution): OutcomeError =>
  failure(
    'shared.value',
    `set_shared of '${key}' with '${reduce}' needs ${misfit(reduce, value)}, found ${quoted(value)}.`,
  );

const passed = (state: PipelineState, checkpoint: Checkpoint): Advance => ({
  checkpoint,
  state: passCheckpoint(state, checkpoint),
});

const optional = (outcome: Outcome | undefined) => (outcome === undefined ? {} : { outcome });

const directiveOf = (choice: Choice): Directive =>
  choice.kind === 'rule' ? { do: choice.rule.then.do, rule: choice.index } : { do: 'continue', rule: 'unmatched' };

function nextOf(turn: Turn, directive: Then['do'], then: Then | undefined): Next {
  switch (directive) {
    case 'continue':
    case 'skip':
      return goTo(turn.frame, turn.state.position + 1);
    case 'break':
      return { kind: 'done' };
    case 'fail':
      return { kind: 'failed', error: turn.outcome?.error ?? failedByPolicy(turn.task) };
    case 'jump':
      return jump(turn, then?.to ?? '');
    case 'retry':
      return retry(turn, then);
  }
}

const failedByPolicy = ({ label }: Task): OutcomeError =>
  failure('policy.fail', `a rule of the task '${label}' failed the pipeline.`);

function goTo(frame: PipelineFrame, position: number): Next {
  const task = frame.tasks[position];
  return task === undefined ? { kind: 'done' } : { kind: 'task', label: task.label, position };
}

function jump(turn: Turn, to: string): Next {
  const { maxJumps, tasks } = turn.frame;
  if (turn.state.jumps < maxJumps)
    return goTo(
      turn.frame,
      tasks.findIndex(({ label }) => label === to),
    );
  const message = `the pipeline jumped ${maxJumps} times, which is the limit.`;
  return { kind: 'failed', error: failure('limit.jumps', message) };
}

/** ENG-10: `attempts` counts the tries of one visit, the first included; when they are used up, the task fails. */
function retry({ frame, state, task, outcome, scope }: Turn, then: Then | undefined): Next {
  if (then === undefined || state.attempt >= then.attempts) {
    const message = `the task '${task.label}' was tried ${state.attempt} times without success.`;
    return { kind: 'failed', error: outcome?.error ?? failure('retry.exhausted', message) };
  }
  const delay = render(then.delay, scope, frame.run);
  if (typeof delay !== 'number' || !(delay >= 0)) {
    const message = `the delay of a retry of '${task.label}' is ${quoted(delay)}, expected a number of seconds.`;
    return { kind: 'failed', error: failure('retry.delay', message) };
  }
  return { kind: 'retry', seconds: backoffDelay(then, delay, state.attempt) };
}

function renderPatches(then: Then, scope: Scope, run: RunOptions): Patches {
  const rendered = (data: Templated): Json => leaving(render(data, scope, run));
  const map = (data: Templated | undefined) => (data === undefined ? undefined : (rendered(data) as JsonMap));
  const [iter, ctx] = [map(then.setIter), map(then.setCtx)];
  const shared = then.setShared.map(({ key, reduce, value }) => ({
    key: storedKey(key),
    reduce,
    value: rendered(value),
  }));
  return {
    ...(iter === undefined ? {} : { set_iter: iter }),
    ...(ctx === undefined ? {} : { set_ctx: ctx }),
    ...(shared.length === 0 ? {} : { set_shared: shared }),
  };
}
