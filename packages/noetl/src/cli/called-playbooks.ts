import { resolve } from 'node:path';
import { failure } from '@noetl/engine';
import type { Diagnostic, Json } from '@noetl/playbook';
import type { CatalogEntry } from '../ports/catalog.ts';
import type { CalledPlan } from '../server/children.ts';
import { adviceFor, findInCatalog } from './catalog-reference.ts';
import type { DataFolder } from './data-folder.ts';
import { upgradesKept } from './kept-files.ts';
import type { Machine } from './machine.ts';
import { readPlaybookText, readText } from './playbook-file.ts';
import { keepSource, type SourcedPlan, sourceOfEntry, sourceOfExecution, sourceOfText } from './sourced-plan.ts';
import type { Terminal } from './terminal.ts';

/** A playbook that a task calls, with where it comes from; or why there is none. */
type Called = { readonly kind: 'found'; readonly found: SourcedPlan } | Extract<CalledPlan, { kind: 'none' }>;

/** The playbooks that tasks call. One that is called again and again is read and registered once. */
export interface CalledPlaybooks {
  find(path: string, version: Json | undefined, caller: SourcedPlan | undefined): Promise<Called>;
  /** The playbook that an execution was started with; undefined if it is not kept. */
  of(execution: string): Promise<SourcedPlan | undefined>;
}

/** A playbook that calls more than so many others may read some of them twice. */
const KEPT = 100;

/** `legacy`: an older playbook in a file is upgraded, whoever calls it; those of an upgraded one always are (MIG-2). */
export function openCalledPlaybooks(
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
  { legacy }: { readonly legacy: boolean } = { legacy: false },
): CalledPlaybooks {
  const { catalog } = data.store;
  const kept = new Map<string, SourcedPlan>();

  /** The same text in the same folder is one playbook; what is newest in the catalog is asked every time. */
  async function known(key: string, read: () => Promise<SourcedPlan | undefined>): Promise<SourcedPlan | undefined> {
    const found = kept.get(key) ?? (await read());
    if (found === undefined) return undefined;
    kept.delete(key);
    kept.set(key, found);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
    return found;
  }

  /** TOOL-2: what `kind: playbook` calls is a path of the catalog, or a file relative to the caller's. */
  async function find(path: string, version: Json | undefined, caller: SourcedPlan | undefined): Promise<Called> {
    if (version !== undefined && version !== null) return findVersion(path, version);
    const folder = caller?.folder ?? machine.workingFolder;
    const file = resolve(folder, path);
    const upgrade = legacy || caller?.original !== undefined || upgradesKept(data.folder, folder);
    if ((await terminal.look(file)) === 'file') return readCalled(file, path, upgrade);
    const entry = await findInCatalog({ path, version: undefined }, catalog);
    if (entry !== undefined) return calledEntry(entry);
    const advice = await adviceFor(path, catalog);
    return none(
      'child.unknown',
      `there is no file '${path}' in ${folder}, and the catalog has no playbook '${path}'.${advice}`,
    );
  }

  async function findVersion(path: string, version: Json): Promise<Called> {
    const number = typeof version === 'string' && /^\d+$/.test(version) ? Number(version) : version;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) {
      const found = JSON.stringify(version);
      const expected = 'expected a version of the catalog, from 1 on';
      return none('task.field', `'version' of the call of '${path}' is ${found}, ${expected}.`);
    }
    const entry = await catalog.get(path, number);
    if (entry !== undefined) return calledEntry(entry);
    const advice = await adviceFor(path, catalog);
    return none('child.unknown', `the catalog has no version ${number} of a playbook '${path}'.${advice}`);
  }

  async function readCalled(file: string, path: string, upgrade: boolean): Promise<Called> {
    const text = await readPlaybookText(file, terminal).catch((error: Error) => error);
    if (typeof text !== 'string') return none('child.invalid', text.message.replace(/^error: /, ''));
    let problem = '';
    const found = await known(`${file}\n${upgrade}\n${text}`, async () => {
      const read = readText(text, path, upgrade);
      if (read.playbook === undefined) {
        problem = firstError(read.diagnostics);
        return undefined;
      }
      const source = sourceOfText(file, read, read.playbook, machine);
      return { ...source, version: (await keepSource(source, data, terminal.now())).version };
    });
    return found === undefined ? none('child.invalid', `${file} is not valid: ${problem}`) : { kind: 'found', found };
  }

  async function calledEntry(entry: CatalogEntry): Promise<Called> {
    const { path, version } = entry;
    const found = await known(`${path}\n${version}`, () => sourceOfEntry(entry, data, machine));
    if (found !== undefined) return { kind: 'found', found };
    return none(
      'child.invalid',
      `version ${version} of the playbook '${path}' is not valid any more. noetl validate tells why.`,
    );
  }

  return {
    find,
    async of(execution) {
      const source = await sourceOfExecution(execution, data, machine).catch(() => undefined);
      return source && known(`${source.folder}\n${source.contentHash}`, async () => source);
    },
  };
}

function firstError(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return 'noetl validate tells why.';
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more; noetl validate tells all)`;
  return `${first.file}:${first.line}:${first.column} ${first.code}: ${first.message}${more}`;
}

const none = (kind: string, message: string): Called => ({ kind: 'none', error: failure(kind, message) });
