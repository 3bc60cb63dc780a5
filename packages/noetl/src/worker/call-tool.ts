import { failure, type OutcomeError } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { Clock } from '../ports/clock.ts';
import type { Tool, ToolAnswer, ToolCall, ToolContext } from '../tools/define-tool.ts';

/** Calls a tool: it ends with an answer, with its timeout, or when the work must stop; a tool never throws out of here. */
export async function callTool(
  tool: Tool['run'],
  call: ToolCall,
  context: ToolContext,
  clock: Clock,
): Promise<ToolAnswer> {
  const seconds = timeoutOf(call.spec.timeout);
  const timeout = new AbortController();
  const cancel =
    seconds === undefined
      ? () => undefined
      : clock.at(clock.now() + seconds * 1000, () => {
          timeout.abort(new DOMException(timedOut(call, seconds).message, 'TimeoutError'));
        });
  try {
    const signal = AbortSignal.any([context.signal, timeout.signal]);
    const answer = await tool(call, { ...context, signal });
    // What was stopped by its timeout failed by it, whatever its tool calls that; what it got until then is kept.
    const stopped = timeout.signal.aborted && answer.status === 'error';
    return stopped ? { ...answer, error: timedOut(call, seconds) } : answer;
  } catch (error) {
    if (timeout.signal.aborted) return failed(timedOut(call, seconds));
    const message = error instanceof Error ? error.message : String(error);
    return failed(failure('tool.failed', `the tool '${call.task.kind}' failed in itself: ${message}`));
  } finally {
    cancel();
  }
}

/** DOC-14: seconds, or `{connect, read}`, which the tool itself keeps. */
const timeoutOf = (timeout: Json | undefined): number | undefined =>
  typeof timeout === 'number' ? timeout : undefined;

const timedOut = ({ task }: ToolCall, seconds: number | undefined): OutcomeError => ({
  ...failure('timeout', `the task '${task.label}' took longer than its timeout of ${seconds} s.`),
  retryable: true,
});

const failed = (error: OutcomeError): ToolAnswer => ({ status: 'error', result: null, error });
