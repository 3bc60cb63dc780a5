// Checks what Biome cannot: files are named by their concept, and none is too long to read in one sitting.

import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isMain } from './is-main.mjs';

const NAMELESS = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'service', 'manager']);
const MAX_LINES = 400;
const TEST = /\.test\.tsx?$/;
/** What must do the same every time it is run. */
const PURE = /^packages.(?:template|playbook|engine)./;

/**
 * What a person should read about the files of every package of `root`; empty when all is well.
 * @param {string} root
 * @returns {string[]}
 */
export function brokenFileRules(root) {
  return readdirSync(join(root, 'packages')).flatMap((name) => {
    const source = join('packages', name, 'src');
    return readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|tsx)$/.test(file))
      .flatMap((file) => broken(root, join(source, file)));
  });
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {string[]}
 */
function broken(root, file) {
  const nameless = file.split(sep).find((part) => NAMELESS.has(part.replace(/\..*$/, '').split('-').at(-1) ?? ''));
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.split('\n').length - 1;
  const chance = PURE.test(file) && !TEST.test(file) && text.includes('Math.random');
  return [
    ...(nameless ? [`${file}: '${nameless}' says nothing; name the file by the concept it holds`] : []),
    ...(chance ? [`${file}: Math.random; the pure packages take a seed as a parameter`] : []),
    ...(lines > MAX_LINES && !TEST.test(file)
      ? [`${file}: ${lines} lines, at most ${MAX_LINES}; find the part that has a name of its own`]
      : []),
  ];
}

if (isMain(import.meta.url)) {
  const found = brokenFileRules(process.cwd());
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
