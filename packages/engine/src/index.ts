export { type AssignedLoop, type Assignment, assignmentOf, leasable } from './execution/assignment.ts';
export { type Decision, decide, REFUSAL_CODES, type RefusalCode } from './execution/decide.ts';
export { type Effect, effectsOf, pendingEffects, runningWork } from './execution/effects.ts';
export {
  EVENT_NAMES,
  EVENT_SCHEMAS,
  type EventOf,
  type EventStatus,
  type ExecutionEvent,
} from './execution/event.ts';
export { evolve, fold } from './execution/evolve.ts';
export {
  childId,
  iterationId,
  packed,
  stepRunId,
  taskRunId,
  unpacked,
  type Work,
  workId,
  workKey,
  workOfKey,
} from './execution/ids.ts';
export type {
  Cause,
  ChildInput,
  ControlInput,
  ForkInput,
  Input,
  ReportInput,
  RequestInput,
  SignalInput,
  Timer,
  WorkerEvent,
} from './execution/input.ts';
export { iterationScope, iteratorNames, type LoopLevel } from './execution/iteration-scope.ts';
export { type EventName, PAYLOADS, type Payload } from './execution/payloads.ts';
export { type Plan, planOf } from './execution/plan.ts';
export { currentForm, type EventReading, readEvent, type Upcast } from './execution/read-event.ts';
export { decodeState, encodedText, encodeState, SNAPSHOT_FORMAT } from './execution/snapshot.ts';
export { isTracedPath, spanIdOf, tracedPart } from './execution/span-id.ts';
export { type ExecutionState, initialState } from './execution/state.ts';
export {
  readTraceparent,
  type TraceContext,
  traceparent,
  traceparentForChild,
  traceparentOf,
} from './execution/trace-context.ts';
export { traceIdOf } from './execution/trace-id.ts';
export { INLINE_LIMIT, type LargeValue, largeValues, withValueAt } from './execution/value-slots.ts';
export { type Explained, explain } from './explanation/explain.ts';
export type { Asked, Explanation } from './explanation/explanation.ts';
export { type Instant, instantOf, timestampOf } from './instant.ts';
export { intEntries } from './int-map.ts';
export { isSurelySmall, jsonSize } from './json-size.ts';
export { DEFAULT_ENGINE_LIMITS, type EngineLimits } from './limits.ts';
export { isTooDeep, MAX_DEPTH, tooDeepMessage } from './nesting.ts';
export { boundedError, failure, type Outcome, type OutcomeError, type OutcomeMeta } from './outcome.ts';
export { type Advance, advance, advanceWithoutBody } from './pipeline/advance.ts';
export { assignedFrame, unloadedParts } from './pipeline/assigned-frame.ts';
export type { Checkpoint, Directive, Next, SharedContribution } from './pipeline/checkpoint.ts';
export { currentTask, missingValues, type PipelineFrame } from './pipeline/frame.ts';
export { keychainReads } from './pipeline/keychain-reads.ts';
export { type PipelineState, startPipeline, visitsOf } from './pipeline/pipeline-state.ts';
export {
  isBoundField,
  type Prepared,
  type PrepareOptions,
  prepareTask,
  type TaskWait,
} from './pipeline/prepare-task.ts';
export type { Attempt, AttemptWait } from './projection/attempt.ts';
export {
  type Detail,
  type DetailQuery,
  detail,
  type IterationDetail,
  type LoopProgress,
  type RunDetail,
} from './projection/detail.ts';
export { type FailurePoint, type FailureTrail, failureTrail } from './projection/failure-point.ts';
export { type ArcCounts, type GraphState, graphState, type StepCounts } from './projection/graph-state.ts';
export { type Milestone, milestoneOf } from './projection/milestone.ts';
export { type Projection, project } from './projection/projection.ts';
export { type StateView, stateAt, stateView } from './projection/state-at.ts';
export { type Counters, type Summary, type SummaryStatus, summary } from './projection/summary.ts';
export { type Span, type TimelineLimits, timeline } from './projection/timeline.ts';
export {
  escapeTags,
  holdsTag,
  isTagged,
  type ManifestSource,
  type ResultManifest,
  type ResultReference,
  storedKey,
  TAG,
  type Tagged,
  tagKey,
  unescapeTags,
  usersKey,
} from './result-reference.ts';
export { attempt } from './scope/attempt.ts';
export { type KnownValues, type Loaded, referencesRead, withKnownValues } from './scope/known-values.ts';
export { PlacedTemplateError } from './scope/placed-template-error.ts';
export { readsOf } from './scope/reads.ts';
export { holds, render } from './scope/render.ts';
export { type ScopeParts, templateScope } from './scope/template-scope.ts';
