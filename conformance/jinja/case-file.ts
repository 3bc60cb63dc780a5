import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UsageError } from './command-line.ts';

/** One recorded answer of real Jinja2: the same form as the shared conformance file, one JSON object per line. */
export interface RecordedCase {
  readonly id: string;
  readonly source: string;
  readonly template: string;
  readonly context: Record<string, unknown>;
  /** `expr` expects the native value of a single `{{ … }}`, `string` its text; `native` is not our behaviour. */
  readonly mode: 'expr' | 'string' | 'native';
  readonly undefined: 'default' | 'strict' | 'chainable';
  readonly options?: CaseOptions;
  readonly expected?: unknown;
  readonly expected_type?: string;
  /** The Python exception class; a case with it passes when the template fails too. */
  readonly error?: string;
  readonly tags: readonly string[];
  readonly features: readonly string[];
}

interface CaseOptions {
  readonly trim_blocks?: boolean;
  readonly lstrip_blocks?: boolean;
  readonly keep_trailing_newline?: boolean;
  readonly sandbox?: boolean;
  readonly item_first?: boolean;
}

export function readCases(file: string): RecordedCase[] {
  return readText(file)
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [readCase(line, `${file}:${i + 1}`)]));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
}

function readCase(line: string, place: string): RecordedCase {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UsageError(`${place} is not JSON; a case is one JSON object on a line.`);
  }
  if (typeof value === 'object' && value !== null && 'template' in value && 'mode' in value)
    return value as RecordedCase;
  throw new UsageError(`${place} is no recorded case: it has no template and mode.`);
}

/** The project's own cases: a clone alone can always run these. */
export const ownCasesFile = fileURLToPath(new URL('./cases.jsonl', import.meta.url));

/** A larger recorded set that may lie beside the repository. */
export const sharedCasesFile = fileURLToPath(new URL('../../../shared/conformance/jinja/cases.jsonl', import.meta.url));

export function defaultCasesFile(): string {
  return existsSync(sharedCasesFile) ? sharedCasesFile : ownCasesFile;
}
