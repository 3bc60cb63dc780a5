import { type Playbook, sourceOf, type Task, type Templated } from '@noetl/playbook';

/** A file that a task names, relative to its playbook or not. */
export interface NamedFile {
  readonly name: string;
  /** What it is: code may import further files, a playbook may name some. */
  readonly as: 'python' | 'javascript' | 'playbook' | 'data';
}

export interface NamedFiles {
  readonly files: readonly NamedFile[];
  /** Code in the playbook itself, which may require files beside it. */
  readonly javascript: readonly string[];
}

/** The files that tasks of a playbook are sure to name. What a template makes of a name is known only to a run. */
export function namedFiles({ workflow, workbook }: Playbook): NamedFiles {
  const tasks = [...workflow.flatMap((step) => step.tasks), ...workbook.values()];
  return {
    files: tasks.flatMap(filesOf),
    javascript: tasks.flatMap(({ kind, fields }) => (kind === 'javascript' ? textsOf(fields.code) : [])),
  };
}

function filesOf({ kind, fields }: Task): readonly NamedFile[] {
  switch (kind) {
    case 'python':
    case 'javascript':
      return textsOf(fields.file).map((name) => ({ name, as: kind }));
    case 'script':
      return textsOf(fields.file).map((name) => ({ name, as: 'data' }));
    case 'playbook':
      // One of a version is of the catalog.
      return isGiven(fields.version) ? [] : textsOf(fields.path).map((name) => ({ name, as: 'playbook' }));
    case 'duckdb':
      return [fields.command, fields.query, fields.commands].flatMap(dataFilesOf).map((name) => ({ name, as: 'data' }));
    case 'http':
      return uploadsOf(fields.files).map((name) => ({ name, as: 'data' }));
    default:
      return [];
  }
}

const isGiven = (field: Templated | undefined): boolean =>
  field !== undefined && (field.kind !== 'literal' || field.value !== null);

const textsOf = (field: Templated | undefined): readonly string[] =>
  field?.kind === 'literal' && typeof field.value === 'string' ? [field.value] : [];

/** A name in a statement that is one of a data file; what is written to is none. */
const DATA_FILE = /(?<!\bto\s*)'([^'{}*?\n]+\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet|xlsx)(?:\.(?:gz|zst))?)'/gi;

/** Files that statements read, as far as their text says. */
function dataFilesOf(field: Templated | undefined): readonly string[] {
  const source = field === undefined ? [] : sourceOf(field);
  const texts: readonly unknown[] = Array.isArray(source) ? source : [source];
  return texts
    .flatMap((text) => (typeof text === 'string' ? [...text.matchAll(DATA_FILE)] : []))
    .flatMap(([, name = '']) => (/^[a-z+]+:/i.test(name) ? [] : [name]));
}

/** `files` of a request: under each name a path, a mapping with one, or a list of these. */
const uploadsOf = (field: Templated | undefined): readonly string[] =>
  field?.kind === 'map' || field?.kind === 'literal' ? Object.values(sourceOf(field) ?? {}).flatMap(pathsIn) : [];

function pathsIn(upload: unknown): readonly string[] {
  if (Array.isArray(upload)) return upload.flatMap(pathsIn);
  const path = typeof upload === 'object' && upload !== null && 'path' in upload ? upload.path : upload;
  return typeof path === 'string' && !path.includes('{{') ? [path] : [];
}
