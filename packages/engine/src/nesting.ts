/** TPL-8: how deep data may be nested. What reads it calls itself once per level, and must not run out of stack. */
export const MAX_DEPTH = 500;

/** Also of what is no JSON yet; something that holds itself is too deep. */
export function isTooDeep(value: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isTooDeep(item, levels - 1));
}

export const tooDeepMessage = (what: string): string => `${what} is nested more than ${MAX_DEPTH} levels deep.`;
