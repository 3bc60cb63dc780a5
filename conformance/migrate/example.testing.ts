import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json, JsonMap } from '@noetl/playbook';
import { parse } from 'yaml';

/** An example of the seeds: as it stands there, as it must be after migration, and what a run must give. */
export interface SeedExample {
  readonly name: string;
  /** The files, and their texts. */
  readonly original: { readonly file: string; readonly text: string };
  readonly expected: { readonly file: string; readonly text: string };
  /** What the seed says of it. */
  readonly says: string;
  /** Statements that a database of its own begins with; without them it needs none. */
  readonly database?: string;
  readonly runs: readonly SeedRun[];
}

/** One run of an example. */
export interface SeedRun {
  readonly name: string;
  /** `<api>` stands for the address of the local API. */
  readonly payload?: JsonMap;
  /** By `METHOD /path?query`: the answers in turn, of which the last repeats. */
  readonly answers?: Readonly<Record<string, readonly { readonly status?: number; readonly body?: Json }[]>>;
  /** The requests that the API must have seen, in order: `METHOD /path?query`, then the body if there is one. */
  readonly saw?: readonly string[];
  /** What the database must hold in the end. */
  readonly rows?: { readonly query: string; readonly are: readonly JsonMap[] };
  readonly status: 'success' | 'error';
  /** Of a mapping the fields that matter. */
  readonly result?: Json;
  /** The steps that ended well, and those that failed, in any order. */
  readonly steps?: readonly string[];
  readonly failed?: readonly string[];
  /** What ctx must hold in the end. */
  readonly ctx?: JsonMap;
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

export const SEED_EXAMPLES: readonly SeedExample[] = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const textOf = (file: string) => ({ file, text: readFileSync(file, 'utf8') });
    const told: Pick<SeedExample, 'says' | 'database' | 'runs'> = parse(
      readFileSync(join(FOLDER, name, 'run.yaml'), 'utf8'),
    );
    return {
      ...told,
      name,
      original: textOf(join(FOLDER, name, 'original.yaml')),
      expected: textOf(join(FOLDER, name, 'expected.yaml')),
    };
  });
