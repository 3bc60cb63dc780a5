import { resolve } from 'node:path';
import { failure } from '@noetl/engine';
import { type Json, readPlaybook } from '@noetl/playbook';
import type { CalledPlan } from '../server/children.ts';
import { adviceFor, findInCatalog } from './catalog-reference.ts';
import type { DataFolder } from './data-folder.ts';
import type { Machine } from './machine.ts';
import { readPlaybookText } from './playbook-file.ts';
import { keepSource, type SourcedPlan, sourceOfEntry, sourceOfText } from './sourced-plan.ts';
import type { Terminal } from './terminal.ts';

/** A playbook that a task calls, with where it comes from; or why there is none. */
export type Called = { readonly kind: 'found'; readonly found: SourcedPlan } | Extract<CalledPlan, { kind: 'none' }>;

/** TOOL-2: what `kind: playbook` calls is a path of the catalog, or a file relative to the caller's. */
export async function findCalled(
  path: string,
  version: Json | undefined,
  caller: SourcedPlan | undefined,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<Called> {
  if (version !== undefined && version !== null) return findVersion(path, version, data, machine);
  const folder = caller?.folder ?? machine.workingFolder;
  const file = resolve(folder, path);
  if ((await terminal.look(file)) === 'file') return readCalled(file, path, data, terminal, machine);
  const entry = await findInCatalog({ path, version: undefined }, data.store.catalog);
  if (entry !== undefined) return calledEntry(entry, data, machine);
  const advice = await adviceFor(path, data.store.catalog);
  return none(
    'child.unknown',
    `there is no file '${path}' in ${folder}, and the catalog has no playbook '${path}'.${advice}`,
  );
}

async function findVersion(path: string, version: Json, data: DataFolder, machine: Machine): Promise<Called> {
  const number = typeof version === 'string' && /^\d+$/.test(version) ? Number(version) : version;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) {
    const found = JSON.stringify(version);
    return none(
      'task.field',
      `'version' of the call of '${path}' is ${found}, expected a version of the catalog, from 1 on.`,
    );
  }
  const entry = await data.store.catalog.get(path, number);
  if (entry !== undefined) return calledEntry(entry, data, machine);
  const advice = await adviceFor(path, data.store.catalog);
  return none('child.unknown', `the catalog has no version ${number} of a playbook '${path}'.${advice}`);
}

async function readCalled(
  file: string,
  path: string,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<Called> {
  const text = await readPlaybookText(file, terminal);
  const { playbook, diagnostics } = readPlaybook(text, { file: path });
  if (playbook === undefined) return none('child.invalid', `${file} is not valid: ${firstError(diagnostics)}`);
  const source = sourceOfText(file, text, playbook, machine);
  const { version } = await keepSource(source, data, terminal.now());
  return { kind: 'found', found: { ...source, version } };
}

async function calledEntry(
  entry: Parameters<typeof sourceOfEntry>[0],
  data: DataFolder,
  machine: Machine,
): Promise<Called> {
  const found = await sourceOfEntry(entry, data, machine);
  if (found !== undefined) return { kind: 'found', found };
  return none(
    'child.invalid',
    `version ${entry.version} of the playbook '${entry.path}' is not valid any more. noetl validate tells why.`,
  );
}

function firstError(diagnostics: ReturnType<typeof readPlaybook>['diagnostics']): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return 'noetl validate tells why.';
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more; noetl validate tells all)`;
  return `${first.file}:${first.line}:${first.column} ${first.code}: ${first.message}${more}`;
}

const none = (kind: string, message: string): Called => ({ kind: 'none', error: failure(kind, message) });
