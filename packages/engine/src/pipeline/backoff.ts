import type { Then } from '@noetl/playbook';

/** ENG-10: seconds to wait after the given attempt: none = delay, linear = delay·n, exponential = delay·2^(n-1). */
export function backoffDelay({ backoff, maxDelay }: Then, delay: number, attempt: number): number {
  const factor = backoff === 'linear' ? attempt : backoff === 'exponential' ? 2 ** (attempt - 1) : 1;
  return Math.min(delay * factor, maxDelay ?? Number.POSITIVE_INFINITY);
}
