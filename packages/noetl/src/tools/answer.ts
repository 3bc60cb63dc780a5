import type { Json } from '@noetl/playbook';
import type { ToolAnswer } from './define-tool.ts';
import type { ToolErrorKind } from './error-kinds.ts';

type Extras = Partial<Pick<ToolAnswer, 'http' | 'pg' | 'py' | 'kept'>>;

export const ok = (result: Json, extras: Extras = {}): ToolAnswer => ({ status: 'ok', result, ...extras });

interface Failing extends Extras {
  readonly retryable?: boolean;
  readonly details?: Json;
  /** What the tool has to show all the same. */
  readonly result?: Json;
}

export function failed(kind: ToolErrorKind, message: string, more: Failing = {}): ToolAnswer {
  const { retryable = false, details = {}, result = null, ...extras } = more;
  return { status: 'error', result, error: { kind, retryable, message, details }, ...extras };
}

/** What a call that was told to stop answers: the reason of the signal says whether its time was over. */
export function stopped({ reason }: AbortSignal, label: string, more: Failing = {}): ToolAnswer {
  return isTimeout(reason)
    ? failed('timeout', `the task '${label}' took longer than its timeout allows.`, { retryable: true, ...more })
    : failed('cancelled', `the task '${label}' was stopped.`, more);
}

/** As `AbortSignal.timeout` gives it. */
const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';
