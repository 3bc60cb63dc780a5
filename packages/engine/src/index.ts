export type { Outcome, OutcomeError, OutcomeMeta } from './outcome.ts';
export {
  advance,
  advanceWithoutBody,
  type Directive,
  type Next,
  type Patches,
  type PipelineFrame,
  type SharedContribution,
  type Step,
} from './pipeline/advance.ts';
export { type PipelineState, startPipeline } from './pipeline/pipeline-state.ts';
export { holds, render } from './scope/render.ts';
export { type ScopeParts, templateScope } from './scope/template-scope.ts';
