import { visitsOf } from '../pipeline/pipeline-state.ts';
import { findPipeline } from './evolve-work.ts';
import type { Work } from './ids.ts';
import { spanIdOf, taskSpanId } from './span-id.ts';
import type { ExecutionState, Request } from './state.ts';

/** Where in a trace something was asked for: what the header `traceparent` of W3C Trace Context says. */
export interface TraceContext {
  readonly trace_id: string;
  readonly span_id: string;
  /** Whether the spans of the trace are recorded. */
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;

/** Undefined for what is no such header: whoever sent it is not told, as the standard wants it. */
export function readTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version = '', trace_id = '', span_id = '', flags = '', more] = TRACEPARENT.exec(text ?? '') ?? [];
  if (version === '' || version === 'ff' || NOTHING.test(trace_id) || NOTHING.test(span_id)) return undefined;
  // Versions to come may say more behind what all have; this one must not.
  if (version === '00' && more !== undefined) return undefined;
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparent = ({ trace_id, span_id, sampled }: TraceContext): string =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;

type Traced = Pick<Request, 'execution_id' | 'trace_id' | 'traceparent' | 'traced'>;

/**
 * What a task tells others of the trace. Where spans are recorded, it is the task's own; where they are not, whoever asked
 * for the execution is named, so that nothing hangs below a span that nobody ever sees. Undefined without any trace: others
 * begin their own then, and decide themselves whether to record it.
 */
export function traceparentOf(
  request: Traced,
  work: Work,
  task: { readonly label: string; readonly visit: number },
): string | undefined {
  return passedOn(request, () => taskSpanId(request.execution_id, work, task));
}

/** The same for a child execution that work of the state calls. */
export function traceparentForChild(state: ExecutionState, work: Work): string | undefined {
  const { execution_id } = state.request;
  const pipeline = findPipeline(state, work)?.state;
  return passedOn(state.request, () => {
    if (pipeline === undefined) return spanIdOf(execution_id);
    return taskSpanId(execution_id, work, { label: pipeline.label, visit: visitsOf(pipeline, pipeline.label) });
  });
}

function passedOn({ trace_id, traced, traceparent: asked }: Traced, span: () => string): string | undefined {
  if (trace_id === undefined) return undefined;
  if (traced === true) return traceparent({ trace_id, span_id: span(), sampled: true });
  if (asked !== undefined) return asked;
  return traced === false ? traceparent({ trace_id, span_id: span(), sampled: false }) : undefined;
}
