import { entryOf, fieldOf, replacedValue, textOf, without } from '../tree/edit.ts';
import { withLineAbove } from '../tree/respell.ts';
import type { MapTree, Tree } from '../tree/tree.ts';
import { isNothing, type TaskRule } from './task-rule.ts';

/** Modules that every Python has; of others the author must see to it that workers have them. */
const STANDARD = new Set(
  'asyncio base64 collections csv datetime decimal functools hashlib hmac io itertools json logging math os pathlib random re statistics string subprocess sys tempfile time traceback typing urllib uuid zlib'.split(
    ' ',
  ),
);

interface Import {
  readonly module: string;
  readonly line: string;
}

/** `libs` was a mapping of names to modules, or a list of packages: the code imports them itself now. */
export const migratePythonLibs: TaskRule = (task, { journal }) => {
  const libs = entryOf(task, 'libs');
  if (libs === undefined || libs.value.kind === 'scalar') return task;
  if (isNothing(libs.value)) {
    journal.note('tool-field-removed', libs.at, "'libs' is left out: it names nothing");
    return without(task, 'libs');
  }
  if (libs.value.kind === 'list') {
    const names = libs.value.items.map(({ value }) => textOf(value) ?? '').join(', ');
    journal.note('python-libs', libs.at, `'libs' is left out: workers must have ${names} installed`, { review: true });
    return without(task, 'libs');
  }
  const imports = libs.value.entries.map(({ key, value }) => importOf(key, value));
  const code = fieldOf(task, 'code');
  if (imports.some((line) => line === undefined) || code?.kind !== 'scalar' || typeof code.value !== 'string') {
    journal.problem(
      libs.at,
      "'libs' names modules in a form that is not known",
      'Import them in the code: import json.',
    );
    return task;
  }
  return withImports(
    task,
    code,
    imports.flatMap((line) => line ?? []),
    libs.at,
    journal,
  );
};

function withImports(
  task: MapTree,
  code: Extract<Tree, { kind: 'scalar' }>,
  imports: readonly Import[],
  at: number,
  journal: Parameters<TaskRule>[1]['journal'],
): MapTree {
  const source = String(code.value);
  const missing = imports.filter(({ line }) => !source.split('\n').includes(line));
  const foreign = imports.filter(({ module }) => !STANDARD.has(module.split('.')[0] ?? '')).map(({ module }) => module);
  const needs = foreign.length === 0 ? '' : `; workers must have ${foreign.join(', ')} installed`;
  const lines = missing.map(({ line }) => line).join('; ');
  const how = missing.length === 0 ? 'the code imports it itself' : `the code starts with '${lines}'`;
  journal.note('python-libs', at, `'libs' is left out: ${how}${needs}`, { review: foreign.length > 0 });
  const bare = without(task, 'libs');
  return missing.length === 0 ? bare : replacedValue(bare, 'code', withLineAbove(code, lines));
}

/** `json: json`, `np: numpy`, `Decimal: { from: decimal, import: Decimal }`. */
function importOf(name: string, value: Tree): Import | undefined {
  const module = textOf(value);
  if (module !== undefined)
    return { module, line: module === name ? `import ${module}` : `import ${module} as ${name}` };
  if (value.kind !== 'map') return undefined;
  const [from, what] = [textOf(fieldOf(value, 'from')), textOf(fieldOf(value, 'import'))];
  if (from === undefined || what === undefined) return undefined;
  return { module: from, line: `from ${from} import ${what}${what === name ? '' : ` as ${name}`}` };
}
