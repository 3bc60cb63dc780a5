import type { Asked } from './explanation.ts';

/**
 * The verdict on a rule, from the one that decided: those above it did not hold, those below were not asked. `failed` is
 * the one that could not be evaluated; `undefined` where the log does not say which.
 */
export function ruleVerdict(
  index: number,
  decided: { readonly by: number | 'none' } | { readonly failed: number | undefined },
): Asked['verdict'] {
  const at = 'by' in decided ? decided.by : decided.failed;
  if (at === undefined) return 'unknown';
  if (at === 'none' || index < at) return 'not_matched';
  if (index > at) return 'not_evaluated';
  return 'by' in decided ? 'matched' : 'error';
}

/** Whether somebody asked it, so that it read something. */
export const wasAsked = (verdict: Asked['verdict']): boolean =>
  verdict === 'matched' || verdict === 'not_matched' || verdict === 'error';
