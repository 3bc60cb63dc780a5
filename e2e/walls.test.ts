import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { brokenFileRules } from '../scripts/file-rules.mjs';
import { layering, unseenPackages } from '../scripts/layering.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = ['template', 'playbook', 'engine', 'noetl', 'ui'];

/** A workspace with the packages of this one, but only the files a test puts there. */
let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'noetl-walls-'));
  for (const name of PACKAGES) {
    put(`packages/${name}/src/index.ts`, 'export const here = 1;');
    cpSync(join(root, `packages/${name}/package.json`), join(tree, `packages/${name}/package.json`));
    const link = join(tree, 'node_modules', name === 'noetl' ? name : `@noetl/${name}`);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(tree, 'packages', name), link);
  }
  for (const name of ['yaml', 'zod', 'left-pad', 'vitest']) {
    put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    put(`node_modules/${name}/index.js`, 'exports.here = 1;');
  }
  put(
    'package.json',
    JSON.stringify({ dependencies: { yaml: '1', zod: '1', 'left-pad': '1' }, devDependencies: { vitest: '1' } }),
  );
});

afterEach(() => rmSync(tree, { recursive: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), `${text}\n`);
}

/** A wall, the file that breaks it, and the imports by which it does. */
type Case = readonly [wall: string, file: string, ...imports: string[]];

const template = 'packages/template/src';
const playbook = 'packages/playbook/src';
const engine = 'packages/engine/src';
const noetl = 'packages/noetl/src';
const ui = 'packages/ui/src';

const FORBIDDEN: readonly Case[] = [
  ['template-looks-down', `${template}/up.ts`, '@noetl/playbook', '@noetl/engine', 'noetl', '@noetl/ui'],
  ['playbook-looks-down', `${playbook}/up.ts`, '@noetl/engine', 'noetl', '@noetl/ui'],
  ['engine-looks-down', `${engine}/up.ts`, 'noetl', '@noetl/ui'],
  ['noetl-looks-down', `${noetl}/server/up.ts`, '@noetl/ui'],
  ['ui-looks-down', `${ui}/up.ts`, 'noetl'],
  ['template-npm-list', `${template}/npm.ts`, 'yaml', 'zod', 'left-pad'],
  ['playbook-npm-list', `${playbook}/npm.ts`, 'yaml', 'left-pad'],
  ['engine-npm-list', `${engine}/npm.ts`, 'yaml', 'left-pad'],
  ['packages-by-their-door', `${noetl}/server/deep.ts`, '../../../engine/src/inner.ts'],
  ['pure-packages-have-no-node', `${template}/node.ts`, 'node:fs'],
  ['pure-packages-have-no-node', `${playbook}/node.ts`, 'node:timers'],
  ['pure-packages-have-no-node', `${engine}/node.ts`, 'node:crypto', 'fs'],
  ['server-not-worker', `${noetl}/server/sideways.ts`, '../worker/lease.ts'],
  ['worker-not-server', `${noetl}/worker/sideways.ts`, '../server/routes.ts'],
  ['adapters-are-chosen-by-cli', `${noetl}/server/adapters.ts`, ...adapters('..')],
  ['adapters-are-chosen-by-cli', `${noetl}/worker/adapters.ts`, ...adapters('..')],
  ['adapters-keep-to-themselves', `${noetl}/tools/across.ts`, '../stores/sqlite/event-log.ts'],
  ['stores-keep-to-themselves', `${noetl}/stores/memory/across.ts`, '../sqlite/event-log.ts'],
  ['adapters-below-server-and-worker', `${noetl}/tools/up.ts`, '../server/routes.ts', '../worker/lease.ts'],
  ['ports-are-interfaces', `${noetl}/ports/up.ts`, '../server/routes.ts'],
  ['cli-is-the-root', `${noetl}/server/root.ts`, '../cli/main.ts'],
  ['process-belongs-to-cli', `${noetl}/server/process.ts`, 'node:process'],
  ['packages-stand-alone', `${noetl}/server/bench.ts`, '../../../../bench/run.ts', './routes.test.ts'],
  ['no-development-dependency', `${noetl}/server/development.ts`, 'vitest'],
  ['everything-resolves', `${noetl}/server/nowhere.ts`, './nowhere-to-be-found.ts'],
];

const ALLOWED: readonly (readonly [file: string, ...imports: string[]])[] = [
  [`${template}/inside.ts`, './index.ts'],
  [`${playbook}/below.ts`, '@noetl/template', 'zod'],
  [`${playbook}/compared.test.ts`, 'yaml'],
  [`${engine}/below.ts`, '@noetl/template', '@noetl/playbook', 'zod'],
  [`${ui}/below.ts`, '@noetl/engine'],
  [`${noetl}/server/below.ts`, '@noetl/engine', 'node:http', '../ports/clock.ts', '../tools/define-tool.ts'],
  [`${noetl}/cli/chooses.ts`, 'node:process', '../server/routes.ts', '../worker/lease.ts', ...adapters('..')],
  [`${noetl}/stores/sqlite/uses.ts`, '../../ports/clock.ts', './event-log.ts'],
  [`${noetl}/tools/http.ts`, './define-tool.ts'],
  [`${noetl}/server/memory.test.ts`, '../stores/sqlite/event-log.ts', 'vitest', 'node:process'],
  [`${template}/index.test.ts`, './index.ts', 'node:fs', 'vitest'],
];

function adapters(from: string): string[] {
  return [
    'stores/sqlite/event-log.ts',
    'doorbell/nats.ts',
    'results/files.ts',
    'secrets/vault.ts',
    'tools/noop.ts',
  ].map((file) => `${from}/${file}`);
}

/** Every file the cases import. */
function furnish(): void {
  const files = ['ports/clock.ts', 'server/routes.ts', 'worker/lease.ts', 'cli/main.ts', 'tools/define-tool.ts'];
  for (const file of [...files, ...adapters('.')]) put(`${noetl}/${file}`, 'export const here = 1;');
  put(`${noetl}/server/routes.test.ts`, 'export const here = 1;');
  put(`${engine}/inner.ts`, 'export const here = 1;');
  put('bench/run.ts', 'export const here = 1;');
}

/** Half as values and half as types, since a wall that only holds for values is none. */
function importing(imports: readonly string[]): string {
  return imports
    .map((from, index) => `import ${index % 2 === 1 ? 'type ' : ''}{ here as n${index} } from '${from}';`)
    .join('\n');
}

describe('the walls between packages and folders', () => {
  it('let through every import that the architecture allows', async () => {
    furnish();
    for (const [file, ...imports] of ALLOWED) put(file, importing(imports));
    expect((await layering(tree)).broken).toEqual([]);
  });

  it('stop every forbidden import, as a value and as a type, and nothing else', async () => {
    furnish();
    for (const [, file, ...imports] of FORBIDDEN) put(file, importing(imports));
    const { broken } = await layering(tree);
    for (const [wall, file, ...imports] of FORBIDDEN) {
      const found = broken.filter(({ rule, path }) => rule === wall && path[0] === file);
      expect(found, `${wall} in ${file}`).toHaveLength(imports.length);
    }
    const innocent = broken.filter(({ path }) => !FORBIDDEN.some(([, file]) => file === path[0]));
    expect(innocent).toEqual([]);
  });

  it('stop a cycle of imports, also one made of types', async () => {
    put(`${engine}/one.ts`, "import type { Two } from './two.ts';\nexport type One = Two | 1;");
    put(`${engine}/two.ts`, "import type { One } from './one.ts';\nexport type Two = One | 2;");
    const { broken } = await layering(tree);
    expect(broken.map(({ rule }) => rule)).toContain('no-cycle');
  });

  it('fail the check, which names the files and the reason', () => {
    put(`${template}/up.ts`, importing(['@noetl/playbook']));
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/layering.mjs')], {
      cwd: tree,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('packages/template/src/up.ts → packages/playbook/src/index.ts');
    expect(stderr).toContain('template-looks-down: template may import no other package of ours');
  });

  it('prove nothing about a package that was not seen', async () => {
    expect(unseenPackages(tree, (await layering(tree)).modules)).toEqual([]);
    expect(unseenPackages(tree, []).sort()).toEqual([...PACKAGES].sort());
  });
});

describe('the rules for files', () => {
  it('refuse names that say nothing', () => {
    put(`${engine}/utils.ts`, 'export const here = 1;');
    put(`${noetl}/server/token-helpers.ts`, 'export const here = 1;');
    put(`${noetl}/common/clock.ts`, 'export const here = 1;');
    put(`${noetl}/secrets/service-account.ts`, 'export const here = 1;');
    expect(
      brokenFileRules(tree)
        .map((line) => line.split(':')[0])
        .sort(),
    ).toEqual([`${engine}/utils.ts`, `${noetl}/common/clock.ts`, `${noetl}/server/token-helpers.ts`]);
  });

  it('refuse a source of more than 400 lines, but not a test', () => {
    put(`${engine}/long.ts`, Array(400).fill('// line').join('\n'));
    expect(brokenFileRules(tree)).toEqual([]);
    put(`${engine}/longer.ts`, Array(401).fill('// line').join('\n'));
    put(`${engine}/longer.test.ts`, Array(401).fill('// line').join('\n'));
    expect(brokenFileRules(tree)).toEqual([expect.stringContaining(`${engine}/longer.ts: 401 lines`)]);
  });

  it('refuses chance in the pure packages', () => {
    put(`${engine}/dice.ts`, 'export const roll = Math.random();');
    expect(brokenFileRules(tree)).toEqual([expect.stringContaining(`${engine}/dice.ts: Math.random`)]);
  });
});

describe('the linter', () => {
  it('refuses default exports, export *, any, empty blocks, the process outside cli/, a clock in the core', () => {
    for (const file of ['biome.json', '.gitignore']) cpSync(join(root, file), join(tree, file));
    put(
      `${noetl}/server/BadName.ts`,
      [
        "export * from '../index.ts';",
        'export default function f(x: any) {',
        '  try {',
        '    console.log(process.env.HOME, x);',
        '  } catch {}',
        '}',
      ].join('\n'),
    );
    put(`${noetl}/cli/reads.ts`, 'export const home = process.argv0;');
    put(`${engine}/clock.ts`, 'export const now = Date.now();');
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [biome, 'lint', '--max-diagnostics=none', '--reporter=github', 'packages'],
      { cwd: tree, encoding: 'utf8' },
    );
    const rules = [...stdout.matchAll(/title=lint\/\w+\/(\w+),file=([^,]+)/g)].map(
      ([, rule, file = '']) => `${basename(file)} ${rule}`,
    );
    expect(rules.sort(), stderr).toEqual(
      [
        'noDefaultExport',
        'noEmptyBlockStatements',
        'noExplicitAny',
        'noReExportAll',
        'noRestrictedGlobals',
        'noRestrictedGlobals',
        'useFilenamingConvention',
      ]
        .map((rule) => `BadName.ts ${rule}`)
        .concat('clock.ts noRestrictedGlobals'),
    );
  });
});

describe('the compiler', () => {
  it('does not know timers, process, console or crypto in the pure packages', () => {
    cpSync(join(root, 'tsconfig.base.json'), join(tree, 'tsconfig.base.json'));
    const globals = ['setTimeout', 'process', 'console', 'crypto', 'fetch', 'performance'];
    for (const name of ['template', 'playbook', 'engine']) {
      cpSync(join(root, `packages/${name}/tsconfig.json`), join(tree, `packages/${name}/tsconfig.json`));
      put(
        `packages/${name}/src/index.ts`,
        globals.map((global) => `export const my_${global} = ${global};`).join('\n'),
      );
    }
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-b', 'packages/engine'], { cwd: tree, encoding: 'utf8' });
    for (const name of ['template', 'playbook', 'engine']) {
      const unknown = stdout
        .split('\n')
        .filter((line) => line.includes(`packages/${name}/`) && /Cannot find name/.test(line));
      expect(unknown, stdout).toHaveLength(globals.length);
    }
  });
});
