import { entry, map } from '../tree/build.ts';
import { entryOf, fieldOf, rekeyed, revalued, textOf, withEntries } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { type TaskContext, type TaskRule, withArgs } from './task-rule.ts';

/** The field that takes the name of a file, and the one that takes the source itself. */
const FIELDS: Readonly<Record<string, { readonly file?: string; readonly source: string }>> = {
  python: { file: 'file', source: 'code' },
  javascript: { file: 'file', source: 'code' },
  script: { file: 'file', source: 'inline' },
  postgres: { source: 'command' },
  snowflake: { source: 'command' },
  duckdb: { source: 'command' },
};

const FROM_ELSEWHERE =
  'Keep the script in a file beside the playbook, or write it into the task; a task of its own can download it before.';

/** `script: { uri, source: { type } }`: code from a file is `file`, code given there is the code itself. */
export const migrateScript: TaskRule = (task, context) => {
  const script = entryOf(task, 'script');
  const fields = FIELDS[context.kind];
  if (script === undefined || fields === undefined) return task;
  if (script.value.kind !== 'map') return fromText(task, script, fields, context);
  const source = fieldOf(script.value, 'source');
  const type = (source?.kind === 'map' ? textOf(fieldOf(source, 'type')) : undefined) ?? 'file';
  const uri = entryOf(script.value, 'uri');
  if (type === 'file' && uri !== undefined && fields.file !== undefined)
    return swapped(task, script, rekeyed(uri, fields.file), context);
  const inline = type === 'inline' && source?.kind === 'map' ? entryOf(source, 'code') : undefined;
  if (inline !== undefined) return fromInline(task, script, inline, fields.source, context);
  if (context.kind === 'python' && source?.kind === 'map') {
    const fetched = fromElsewhere(task, script, source, type, context);
    if (fetched !== undefined) return fetched;
  }
  const what = type === 'file' ? `the kind ${context.kind} reads no files` : `'script' comes from ${type}`;
  context.journal.problem(script.at, what, FROM_ELSEWHERE);
  return task;
};

/** `script: ./load.py`. */
function fromText(
  task: MapTree,
  script: EntryTree,
  { file }: { readonly file?: string },
  context: TaskContext,
): MapTree {
  const text = textOf(script.value);
  if (text !== undefined && file !== undefined && !text.includes('\n'))
    return swapped(task, script, rekeyed(script, file), context);
  context.journal.problem(script.at, `'script' of the kind ${context.kind} cannot be told`, FROM_ELSEWHERE);
  return task;
}

function swapped(task: MapTree, script: EntryTree, to: EntryTree, { journal }: TaskContext): MapTree {
  journal.note('tool-script', script.at, `'script' becomes '${to.key}', relative to the playbook`, { review: true });
  return exchanged(task, script, to);
}

/** Code that a template gives is run by the code: templates are not rendered in code. */
function fromInline(task: MapTree, script: EntryTree, inline: EntryTree, field: string, context: TaskContext): MapTree {
  const text = textOf(inline.value);
  const templated = text?.includes('{{');
  if (!templated || field === 'command') {
    context.journal.note('tool-script', script.at, `'script' becomes '${field}'`);
    return exchanged(task, script, rekeyed(inline, field));
  }
  if (context.kind !== 'python') {
    context.journal.problem(script.at, "the source of 'script' is a template", 'Write the source into the task.');
    return task;
  }
  const bare = exchanged(task, script, entry('code', 'exec(source, globals())', script.at));
  const given = entry('args', map(rekeyed(revalued(inline, inline.value), 'source')), script.at);
  context.journal.note('tool-script', script.at, "'script' becomes an arg 'source' that the code runs", {
    review: true,
  });
  return withArgs(bare, given) ?? bare;
}

/** Code that is kept elsewhere is fetched by the code, and run. */
function fromElsewhere(
  task: MapTree,
  script: EntryTree,
  source: MapTree,
  type: string,
  { journal }: TaskContext,
): MapTree | undefined {
  const address = script.value.kind === 'map' ? addressOf(script.value, source) : undefined;
  const lines = FETCHING[type];
  if (address === undefined || lines === undefined) return undefined;
  journal.note('tool-script', script.at, `'script' from ${type} becomes code that fetches it from 'script_uri'`, {
    review: true,
  });
  const bare = exchanged(task, script, entry('code', `${lines.join('\n')}\n`, script.at));
  return withArgs(bare, entry('args', map(address), script.at));
}

const FETCHING: Readonly<Record<string, readonly string[]>> = {
  gcs: [
    'from google.cloud import storage',
    'script = storage.Blob.from_string(script_uri, client=storage.Client())',
    'exec(script.download_as_bytes(), globals())',
  ],
};

/** The whole address of the object. */
function addressOf(script: MapTree, source: MapTree): EntryTree | undefined {
  const uri = entryOf(script, 'uri');
  const [path, bucket] = [textOf(uri?.value), textOf(fieldOf(source, 'bucket'))];
  if (uri === undefined || path === undefined) return undefined;
  if (bucket === undefined || path.startsWith('gs://')) return rekeyed(uri, 'script_uri');
  return entry('script_uri', `gs://${bucket}/${path}`, uri.at);
}

const exchanged = (task: MapTree, old: EntryTree, to: EntryTree): MapTree =>
  withEntries(
    task,
    task.entries.map((part) => (part === old ? { ...to, above: old.above } : part)),
  );
