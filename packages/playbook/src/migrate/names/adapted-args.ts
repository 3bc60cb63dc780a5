import { type StaticPath, staticPathOf } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { scalar } from '../tree/build.ts';
import { fieldOf, replacedValue, revalued, textOf, withEntries } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { templateOf } from './condition.ts';
import { isOlder } from './is-older.ts';
import { ownLabel } from './kept-labels.ts';
import { onlyExpression } from './parsed-template.ts';
import { isSql, type ResultShape } from './result-shape.ts';
import type { Site } from './site.ts';
import { pathText } from './static-path.ts';

/** Code is not rewritten: what it reads of a result under an older name is given to it under that name. */
export function adaptedArgs(task: MapTree, site: Site, facts: DocumentFacts, journal: Journal): MapTree {
  const code = textOf(fieldOf(task, 'code'));
  const args = fieldOf(task, 'args');
  if (code === undefined || args?.kind !== 'map' || !isOlder(facts)) return task;
  const entries = args.entries.map((part) => adapted(part, code, site, facts, journal));
  return entries.every((part, i) => part === args.entries[i])
    ? task
    : replacedValue(task, 'args', withEntries(args, entries));
}

function adapted(part: EntryTree, code: string, site: Site, facts: DocumentFacts, journal: Journal): EntryTree {
  const text = textOf(part.value);
  const node = text === undefined ? undefined : onlyExpression(text);
  const path = node === undefined ? undefined : staticPathOf(node);
  const read = path === undefined ? undefined : resultNamed(path, site, facts);
  if (path === undefined || read === undefined) return part;
  const wanted = asCodeReads(read.shape, read.text, fieldsRead(code, part.key));
  if (wanted === undefined) return part;
  journal.note(
    'result-fields',
    part.at,
    `'${pathText(path.name, path.path)}' becomes '${wanted}', as the code of the task reads it`,
  );
  return revalued(part, scalar(templateOf(wanted)));
}

/** The result of a step, or of a task in front, that a name stands for, and how it is read now. */
function resultNamed(
  { name: first, path }: StaticPath,
  site: Site,
  facts: DocumentFacts,
): { shape: ResultShape; text: string } | undefined {
  const { names } = facts;
  const label = 'step' in site ? ownLabel(first, path, site.step, facts) : undefined;
  if (path.length > (label === undefined ? 0 : 1)) return undefined;
  const name = label ?? first;
  const step = label === undefined ? names.steps.get(name) : undefined;
  if (step !== undefined) return { shape: step, text: pathText('results', [name]) };
  const before = site.at === 'task' ? (site.before ?? []) : [];
  const task =
    label === undefined && names.given.has(name) ? undefined : before.findLast(({ label }) => label === name);
  if (task === undefined || (task.home === undefined && task !== before.at(-1))) return undefined;
  const shape = { kind: task.kind, looped: false, listed: false, unwrapped: false, code: undefined };
  return { shape, text: task.home === undefined ? '_prev' : pathText(task.home.scope, [task.home.key]) };
}

/** The keys that code reads of a variable: `x.get('a')`, `x['a']`, `'a' in x`. */
function fieldsRead(code: string, variable: string): ReadonlySet<string> {
  if (!/^\w+$/.test(variable)) return new Set();
  const reads = new RegExp(
    `\\b${variable}\\s*(?:\\.get\\(|\\[)\\s*['"](\\w+)['"]|['"](\\w+)['"] in ${variable}\\b`,
    'g',
  );
  return new Set([...code.matchAll(reads)].map(([, key, asked]) => key ?? asked ?? ''));
}

/** The result with the fields that it had; undefined where code reads what it has. */
function asCodeReads(shape: ResultShape, result: string, keys: ReadonlySet<string>): string | undefined {
  const fields = fieldsOf(shape, result).filter(([key]) => keys.has(key));
  if (fields.length === 0) return undefined;
  if (shape.looped) return `{${fields.map(([key, value]) => `'${key}': ${value}`).join(', ')}}`;
  return `dict(${[result, ...fields.map(([key, value]) => `${key}=${value}`)].join(', ')})`;
}

function fieldsOf({ kind, looped }: ResultShape, result: string): readonly (readonly [key: string, value: string])[] {
  if (looped) {
    const count = (part: string): string => `${result} | ${part} | list | length`;
    const stats = `{'total': ${result} | length, 'success': ${count("reject('none')")}, 'failed': ${count("select('none')")}}`;
    return [
      ['results', result],
      ['data', result],
      ['stats', stats],
      ['count', `${result} | length`],
    ];
  }
  if (kind === 'http') {
    return [
      ['status_code', `${result}.status`],
      ['body', `${result}.data`],
    ];
  }
  return isSql(kind) ? [['data', `dict(${result}, result=${result}.rows)`]] : [];
}
