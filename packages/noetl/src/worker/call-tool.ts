import { failure, type OutcomeError } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { Clock } from '../ports/clock.ts';
import { KeepProblem } from '../ports/keep.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Tool, ToolAnswer, ToolCall, ToolContext } from '../tools/define-tool.ts';

/** What a call belongs to, and stops with. */
interface Stoppable {
  isStopped(): boolean;
  readonly signal: AbortSignal;
}

/** Calls a tool: it ends with an answer, with its timeout, or when the work must stop; a tool never throws out of here. */
export async function callTool(
  tool: Tool['run'],
  call: ToolCall,
  context: Omit<ToolContext, 'signal'>,
  work: Stoppable,
  clock: Clock,
): Promise<ToolAnswer> {
  if (work.isStopped()) return failed(stoppedBefore(call));
  const seconds = timeoutOf(call.spec.timeout);
  const limit = seconds === undefined ? undefined : timeLimit(call, seconds, work, clock);
  try {
    const answer = await tool(call, lent(context, limit ?? work));
    // What was stopped by its timeout failed by it, whatever its tool calls that; what it got until then is kept.
    const tooLate = limit?.passed() === true && answer.status === 'error';
    return tooLate ? { ...answer, error: timedOut(call, seconds) } : answer;
  } catch (error) {
    if (limit?.passed() === true) return failed(timedOut(call, seconds));
    if (error instanceof KeepProblem) return failed(failure(error.kind, error.message));
    if (error instanceof StoreError) return failed({ ...failure('result.store', error.message), retryable: true });
    const message = error instanceof Error ? error.message : String(error);
    return failed(failure('tool.failed', `the tool '${call.task.kind}' failed in itself: ${message}`));
  } finally {
    limit?.cancel();
  }
}

/** Many tools end at once and never look at their signal: it is made for those that do. */
const lent = (
  { log, keep, folder, playbook, environment, credentials }: Omit<ToolContext, 'signal'>,
  stoppable: Pick<Stoppable, 'signal'>,
): ToolContext => ({
  log,
  keep,
  folder,
  ...(playbook === undefined ? {} : { playbook }),
  environment,
  ...(credentials === undefined ? {} : { credentials }),
  get signal() {
    return stoppable.signal;
  },
});

interface TimeLimit {
  readonly signal: AbortSignal;
  passed(): boolean;
  cancel(): void;
}

function timeLimit(call: ToolCall, seconds: number, work: Stoppable, clock: Clock): TimeLimit {
  const timeout = new AbortController();
  const cancel = clock.at(clock.now() + seconds * 1000, () => {
    timeout.abort(new DOMException(timedOut(call, seconds).message, 'TimeoutError'));
  });
  return { signal: AbortSignal.any([work.signal, timeout.signal]), passed: () => timeout.signal.aborted, cancel };
}

/** DOC-14: seconds, or `{connect, read}`, which the tool itself keeps. */
const timeoutOf = (timeout: Json | undefined): number | undefined =>
  typeof timeout === 'number' ? timeout : undefined;

const timedOut = ({ task }: ToolCall, seconds: number | undefined): OutcomeError => ({
  ...failure('timeout', `the task '${task.label}' took longer than its timeout of ${seconds} s.`),
  retryable: true,
});

const stoppedBefore = ({ task }: ToolCall): OutcomeError =>
  failure('cancelled', `the task '${task.label}' was stopped before it began.`);

const failed = (error: OutcomeError): ToolAnswer => ({ status: 'error', result: null, error });
