import { type Diagnostic, formatPretty } from '@noetl/playbook';
import type { CatalogEntry } from '../../../ports/catalog.ts';
import { changing } from '../../changing.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { DataFolder } from '../../data-folder.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { findPlaybooks } from '../../find-playbooks.ts';
import type { Machine } from '../../machine.ts';
import { displayName, readPlaybookFile, warnOfReviews } from '../../playbook-file.ts';
import { printable } from '../../printable.ts';
import { keepSource, type SourcedPlan, sourceOfText } from '../../sourced-plan.ts';
import type { Terminal } from '../../terminal.ts';
import { things } from '../../views/quantity.ts';
import { type Registration, registrationList, registrationListJson } from '../../views/registration-list.ts';
import type { ExecOptions } from '../exec/looking.ts';

export interface RegisterOptions extends ExecOptions {
  /** Files, folders, globs, or `-`. */
  readonly targets: readonly string[];
  /** Whether older playbooks are upgraded. */
  readonly legacy: boolean;
}

interface ReadFile {
  readonly file: string;
  readonly source: SourcedPlan | undefined;
  readonly errors: readonly Diagnostic[];
}

/** `noetl catalog register`: all of the playbooks, or none; a server may refuse one by one, and then it is told which it took. */
export async function catalogRegister(
  options: RegisterOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const files: ReadFile[] = [];
  for (const file of await findPlaybooks(options.targets, terminal)) {
    files.push(await read(file, options, terminal, machine));
  }
  const sources = files.flatMap(({ source }) => source ?? []);
  if (sources.length < files.length) return refuse(files, options, terminal);
  demandOneFileEach(files);
  return changing(options.data, machine, async (data) => {
    const registrations: Registration[] = [];
    try {
      for (const { file, source } of files) {
        if (source !== undefined) registrations.push({ file, ...(await register(source, data, terminal.now())) });
      }
    } finally {
      if (registrations.length > 0) {
        const list = options.json ? registrationListJson : registrationList;
        terminal.print(list(registrations, terminal.color));
      }
    }
    return EXIT.ok;
  });
}

async function read(
  file: string,
  { legacy }: RegisterOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ReadFile> {
  const found = await readPlaybookFile(file, terminal, legacy);
  warnOfReviews(found, file, terminal);
  const source =
    found.playbook === undefined ? undefined : { ...sourceOfText(file, found, found.playbook, machine), legacy };
  return { file: displayName(file), source, errors: found.diagnostics.filter(({ severity }) => severity === 'error') };
}

/** Everything that is wrong, in one go. */
function refuse(files: readonly ReadFile[], { json }: ExecOptions, terminal: Terminal): ExitCode {
  const invalid = files.filter(({ source }) => source === undefined);
  if (json) {
    terminal.print(registrationListJson(files.map(({ file, errors }) => ({ file, entry: undefined, errors }))));
    return EXIT.invalid;
  }
  for (const { errors } of invalid) {
    for (const error of errors) terminal.complain(`${formatPretty(printable(error), terminal.watchedInColor)}\n\n`);
  }
  const which =
    files.length === 1
      ? 'the playbook is not valid'
      : `${things(invalid.length, 'playbook')} of ${files.length} ${invalid.length === 1 ? 'is' : 'are'} not valid`;
  throw new CommandFailure(EXIT.invalid, `error: ${which}; nothing was registered.`);
}

/** Which of two files would be the newest version must not depend on their names. */
function demandOneFileEach(files: readonly ReadFile[]): void {
  const byPath = new Map<string, ReadFile>();
  for (const each of files) {
    const path = each.source?.path ?? '';
    const other = byPath.get(path);
    if (other !== undefined && other.source?.contentHash !== each.source?.contentHash) {
      throw new CommandFailure(
        EXIT.usage,
        `error: ${other.file} and ${each.file} are both the playbook '${path}'; nothing was registered. Give one of them another metadata.path, or register them one after the other.`,
      );
    }
    byPath.set(path, each);
  }
}

async function register(
  source: SourcedPlan,
  data: DataFolder,
  now: number,
): Promise<{ readonly entry: CatalogEntry; readonly isNew: boolean }> {
  const before = await data.store.catalog.get(source.path);
  const entry = await keepSource(source, data, now);
  return { entry, isNew: entry.version !== before?.version };
}
