/**
 * A signal that comes at the latest after so many milliseconds. Not `AbortSignal.timeout`: nobody would hold it, and what
 * nobody holds may never come.
 */
export function withTimeout(
  signal: AbortSignal,
  milliseconds: number | undefined,
): { readonly signal: AbortSignal; forget(): void } {
  if (milliseconds === undefined) return { signal, forget: () => undefined };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('the time is over', 'TimeoutError')), milliseconds);
  return { signal: AbortSignal.any([signal, late.signal]), forget: () => clearTimeout(timer) };
}
