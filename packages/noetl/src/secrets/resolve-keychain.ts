import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PlacedTemplateError, render, templateScope } from '@noetl/engine';
import type { Json, JsonMap, KeychainEntry } from '@noetl/playbook';
import { redactor, type Secret } from './redactor.ts';
import { secretsIn } from './secrets-in.ts';

export interface KeychainSources {
  /** What the provider `env` reads. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder in which the provider `file` finds one file for each secret; undefined if there is none. */
  readonly folder: string | undefined;
  /** The provider of entries that name none. */
  readonly provider?: string;
}

/** What entries may read in their templates. */
export interface KeychainRequest {
  readonly workload: JsonMap;
  readonly execution_id: string;
  readonly job: JsonMap;
}

interface KeychainProblem {
  /** The entry that could not be resolved. */
  readonly name: string;
  /** Never shows a value. */
  readonly message: string;
}

export type ResolvedKeychain =
  | { readonly values: JsonMap; readonly secrets: readonly Secret[] }
  | { readonly problems: readonly KeychainProblem[] };

/** SEC-1: the values of all declared entries, in order, or the entries that have none. Entries may read earlier ones. */
export async function resolveKeychain(
  entries: readonly KeychainEntry[],
  request: KeychainRequest,
  sources: KeychainSources,
): Promise<ResolvedKeychain> {
  const values: Record<string, Json> = {};
  const problems: KeychainProblem[] = [];
  for (const entry of entries) {
    try {
      values[entry.name] = await entryValue(entry, fieldsOf(entry, values, request), sources);
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      problems.push({ name: entry.name, message: `the keychain entry '${entry.name}' ${error.message}` });
    }
  }
  const secrets = Object.entries(values).flatMap(([name, value]) => secretsIn(name, value));
  if (problems.length > 0) {
    // What names a secret may be taken from an entry above.
    const { text } = redactor(secrets);
    return { problems: problems.map(({ name, message }) => ({ name, message: text(message) })) };
  }
  return { values, secrets };
}

class Unresolved extends Error {}

function fieldsOf(
  { fields }: KeychainEntry,
  keychain: JsonMap,
  { workload, execution_id, job }: KeychainRequest,
): JsonMap {
  const scope = templateScope({ workload, ctx: {}, args: {}, results: {}, execution_id, job, keychain });
  try {
    return render(fields, scope, {}) as JsonMap;
  } catch (error) {
    // The message of the error might quote a value.
    if (!(error instanceof PlacedTemplateError)) throw error;
    const { cause, place } = error;
    throw new Unresolved(
      `has a template that fails (${cause.code} at ${place.line}:${place.column}); does it read an entry above that was resolved?`,
    );
  }
}

async function entryValue({ name, kind }: KeychainEntry, fields: JsonMap, sources: KeychainSources): Promise<Json> {
  switch (kind) {
    case 'secret_manager':
      return fromSecretManager(name, fields, sources);
    case 'static':
      return fields.value ?? null;
    case 'bearer':
      return { token: textField(fields, 'token') };
    case 'basic':
      return { username: textField(fields, 'username'), password: textField(fields, 'password') };
    default:
      throw new Unresolved(
        `is of the kind '${kind}', which is not available in this release; there are secret_manager, static, bearer and basic.`,
      );
  }
}

function textField(fields: JsonMap, field: string): string {
  const value = fields[field];
  if (typeof value === 'string' && value !== '') return value;
  throw new Unresolved(`has a '${field}' that is no text.`);
}

async function fromSecretManager(name: string, fields: JsonMap, sources: KeychainSources): Promise<Json> {
  const { provider = sources.provider ?? 'env', key = name, map } = fields;
  const read = (secret: Json): Promise<string> => {
    if (typeof secret !== 'string') throw new Unresolved('names a secret with something that is no text.');
    switch (provider) {
      case 'env':
        return fromEnvironment(secret, sources);
      case 'file':
        return fromFile(secret, sources);
      default:
        throw new Unresolved(
          `is kept by the provider '${provider}', which is not available in this release; there are env and file.`,
        );
    }
  };
  if (map === undefined) return read(key);
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new Unresolved("has a 'map' that is no mapping.");
  const found = await Promise.allSettled(Object.values(map).map(async (secret) => read(secret)));
  const problems = found.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const unexpected = problems.find((problem) => !(problem instanceof Unresolved));
  if (unexpected !== undefined) throw unexpected;
  if (problems.length > 0) throw new Unresolved(problems.map(({ message }) => message).join('; it '));
  return Object.fromEntries(
    Object.keys(map).map((field, at) => [field, (found[at] as PromiseFulfilledResult<string>).value]),
  );
}

async function fromEnvironment(secret: string, { environment }: KeychainSources): Promise<string> {
  const value = Object.hasOwn(environment, secret) ? environment[secret] : undefined;
  if (value === undefined || value === '') {
    const what = value === undefined ? 'not set' : 'empty';
    const example = /^[A-Za-z_]\w*$/.test(secret) ? `: export ${secret}=…` : '.';
    throw new Unresolved(
      `needs the environment variable '${secret}', which is ${what}. Set it before noetl starts${example}`,
    );
  }
  return value;
}

/** A name, never a path: a playbook must not choose which files of the machine are read. */
const FILE_NAME = /^(?!\.{1,2}$)[\w.-]+$/;

async function fromFile(secret: string, { folder }: KeychainSources): Promise<string> {
  if (!FILE_NAME.test(secret))
    throw new Unresolved(`names the secret '${secret}'; the name of a file is expected, not a path.`);
  if (folder === undefined) {
    throw new Unresolved(
      `needs the file '${secret}' of the folder that NOETL_SECRETS names, which is not set. Set it before noetl starts: export NOETL_SECRETS=FOLDER`,
    );
  }
  const file = join(folder, secret);
  const advice = 'Write the secret into it, or let NOETL_SECRETS name another folder.';
  const text = await readFile(file, 'utf8').catch(async (error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !(await isThere(folder))) {
      throw new Unresolved(
        `needs the file '${file}', but the folder '${folder}', which NOETL_SECRETS names, is not there.`,
      );
    }
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
    throw new Unresolved(`needs the file '${file}', which ${why}. ${advice}`);
  });
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new Unresolved(`needs the file '${file}', which is empty. ${advice}`);
  return value;
}

const isThere = (folder: string): Promise<boolean> =>
  access(folder).then(
    () => true,
    () => false,
  );
