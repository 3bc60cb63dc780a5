// Checks the walls of .dependency-cruiser.cjs in the workspace of the working directory.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { isMain } from './is-main.mjs';

const config = fileURLToPath(new URL('../.dependency-cruiser.cjs', import.meta.url));

/** @typedef {{ rule: string, path: string[], comment: string }} BrokenWall */

/**
 * The modules under `packages` of `root`, and every import that breaks a wall.
 * @param {string} root
 * @returns {Promise<{ modules: string[], broken: BrokenWall[] }>}
 */
export async function layering(root) {
  const options = await extractDepcruiseOptions(config);
  const { output } = await cruise(['packages'], { ...options, baseDir: root });
  if (typeof output === 'string') throw new Error(`dependency-cruiser answered with text: ${output}`);
  return {
    modules: output.modules.map((module) => module.source),
    broken: output.summary.violations.map(({ rule, from, to, cycle }) => ({
      rule: rule.name,
      path: [from, ...(cycle?.map((step) => step.name) ?? [to])],
      comment: options.ruleSet?.forbidden?.find(({ name }) => name === rule.name)?.comment ?? '',
    })),
  };
}

/**
 * The packages of `root` that a cruise did not see. A cruise that sees nothing proves nothing: with a compiler it does
 * not know, dependency-cruiser reports success over 0 modules.
 * @param {string} root
 * @param {string[]} modules
 * @returns {string[]}
 */
export function unseenPackages(root, modules) {
  return readdirSync(join(root, 'packages'))
    .filter((name) => existsSync(join(root, 'packages', name, 'src')))
    .filter((name) => !modules.some((source) => source.startsWith(`packages/${name}/src/`)));
}

if (isMain(import.meta.url)) {
  const { modules, broken } = await layering(process.cwd());
  const unseen = unseenPackages(process.cwd(), modules);
  for (const name of unseen) console.error(`dependency-cruiser saw no module of packages/${name}`);
  for (const { rule, path, comment } of broken) console.error(`${path.join(' → ')}\n  ${rule}: ${comment}`);
  if (modules.length === 0 || unseen.length + broken.length > 0) process.exitCode = 1;
  else console.log(`${modules.length} modules`);
}
