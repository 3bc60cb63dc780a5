// What the properties of a test file draw, set before each file. Whether a change may land must not hang on luck: so by
// default every file has a seed of its own, the same in every run. PROPERTY_SEED replaces it.

import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const asked = process.env.PROPERTY_SEED;

/**
 * Spreads names over all seeds (FNV-1a).
 * @param {string} name
 */
const seedOf = (name) =>
  [...name].reduce((hash, char) => Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193), 0x811c9dc5);

const file = relative(root, expect.getState().testPath ?? '').replaceAll(sep, '/');
fc.configureGlobal({ seed: asked ? Number(asked) : seedOf(file) });
