import type { Keep } from '../ports/keep.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createKeep } from '../worker/keep-values.ts';

/** Keeps in memory what tools keep apart, for those who do not look at it. */
export const memoryKeep = (results = createMemoryResults()): Keep =>
  createKeep(results, { keychain: {}, redact: (value) => value });
