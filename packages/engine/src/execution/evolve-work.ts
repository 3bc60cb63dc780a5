import type { JsonMap } from '@noetl/playbook';
import { type Instant, instantOf } from '../instant.ts';
import { getInt, removeInt, setInt } from '../int-map.ts';
import { startPipeline } from '../pipeline/pipeline-state.ts';
import { type Body, bodyAt, type Loop, type Pipeline, withBodyAt, withPipelineParts } from './body.ts';
import type { ExecutionEvent } from './event.ts';
import { unpackedTokens, type Work } from './ids.ts';
import type { Payload } from './payloads.ts';
import { counting, type ExecutionState, type Owed, type StepRun, withParts } from './state.ts';

/** Changes of the work in flight that several events share. */

/** The step run or iteration that an event is about. */
export function workOf({ step_run_id, iteration_id }: ExecutionEvent): Work {
  const run = Number(step_run_id?.slice(step_run_id.lastIndexOf(':') + 1));
  if (iteration_id === undefined) return { run, path: [] };
  const path = iteration_id.slice(iteration_id.lastIndexOf(':') + 1);
  return { run, path: path.includes('.') ? path.split('.').map(Number) : [Number(path)] };
}

export const optionalInstant = (timestamp: string | undefined): Instant | undefined =>
  timestamp === undefined ? undefined : instantOf(timestamp);

export function findBody(state: ExecutionState, { run, path }: Work): Body | undefined {
  const stepRun = getInt(state.runs, run);
  return stepRun === undefined ? undefined : bodyAt(stepRun.body, path);
}

export function findPipeline(state: ExecutionState, work: Work): Pipeline | undefined {
  const body = findBody(state, work);
  return body?.kind === 'pipeline' ? body : undefined;
}

export function findLoop(state: ExecutionState, work: Work): Loop | undefined {
  const body = findBody(state, work);
  return body?.kind === 'loop' ? body : undefined;
}

/** The state with the body replaced; without one, it is taken out of its loop, or the step run ends. */
export function setBody(state: ExecutionState, work: Work, body: Body | undefined): ExecutionState {
  const stepRun = getInt(state.runs, work.run);
  if (stepRun === undefined) return state;
  const changed = withBodyAt(stepRun.body, work.path, body);
  if (changed === stepRun.body) return state;
  if (changed === undefined) return withParts(state, { runs: removeInt(state.runs, work.run) });
  const { run, step, args, scheduled, deadline } = stepRun;
  const runs = setInt(state.runs, work.run, { run, step, args, scheduled, deadline, body: changed });
  return withParts(state, { runs });
}

export function changePipeline(state: ExecutionState, work: Work, change: Partial<Pipeline>): ExecutionState {
  const pipeline = findPipeline(state, work);
  return pipeline === undefined ? state : setBody(state, work, withPipelineParts(pipeline, change));
}

/** ENG-9: it reads ctx as of now, plus its own patches, however long it takes and whoever goes on with it. */
export const readyPipeline = (firstTask: string, ctx: JsonMap, results: JsonMap): Pipeline => ({
  kind: 'pipeline',
  phase: 'ready',
  ctx,
  results,
  state: startPipeline(firstTask),
  started: false,
  taskStarted: false,
  waited: 'nothing',
  wait: undefined,
  resumed: undefined,
  shared: {},
});

export const owe = (state: ExecutionState, owed: Owed): ExecutionState =>
  withParts(state, { owed: [...state.owed, owed] });

export const settleOwed = (state: ExecutionState, settled: (owed: Owed) => boolean): ExecutionState =>
  state.owed.some(settled) ? withParts(state, { owed: state.owed.filter((owed) => !settled(owed)) }) : state;

/** What is owed to one piece of work, or to a loop that holds it. */
export const owedTo =
  ({ run, path }: Work) =>
  (owed: Owed): boolean =>
    'work' in owed && owed.work.run === run && path.every((index, level) => owed.work.path[level] === index);

export function withoutTokens(
  state: ExecutionState,
  step: string,
  ids: Payload<'step.scheduled'>['tokens'],
): ExecutionState {
  const there = Object.hasOwn(state.tokens, step) ? state.tokens[step] : undefined;
  if (there === undefined || ids.length === 0) return state;
  const left = unpackedTokens(ids).reduce(removeInt, there);
  const { [step]: _, ...others } = state.tokens;
  return { ...state, tokens: left.size === 0 ? others : { ...state.tokens, [step]: left } };
}

/** The run is over: whatever it still owed or waited for goes with it. */
export function endRun(state: ExecutionState, run: number): ExecutionState {
  const ended = settleOwed({ ...state, runs: removeInt(state.runs, run) }, (owed) => runOf(owed) === run);
  return unlisten(ended, (work) => work.run === run);
}

export function unlisten(state: ExecutionState, gone: (work: Work) => boolean): ExecutionState {
  const heard = Object.values(state.listeners).some((works) => works.some(gone));
  if (!heard) return state;
  const left = Object.entries(state.listeners)
    .map(([name, works]) => [name, works.filter((work) => !gone(work))] as const)
    .filter(([, works]) => works.length > 0);
  return { ...state, listeners: Object.fromEntries(left) };
}

function runOf(owed: Owed): number | undefined {
  if ('work' in owed) return owed.work.run;
  return owed.kind === 'publish' ? owed.run : undefined;
}

export const newStepRun = (run: StepRun, state: ExecutionState): ExecutionState =>
  withParts(counting(state, 'step_runs'), { runs: setInt(state.runs, run.run, run) });
