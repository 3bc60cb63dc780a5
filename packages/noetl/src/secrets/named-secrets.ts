import type { Json, JsonMap } from '@noetl/playbook';
import type { SecretProviders } from './secret-providers.ts';
import { Unresolved } from './unresolved.ts';

/** Secrets by their names: one, or several by field. */
export interface NamedSecrets {
  readonly provider: string;
  readonly key?: string;
  readonly map?: Readonly<Record<string, string>>;
}

/** What rendered fields name; `otherwise` if they name nothing. Throws Unresolved. */
export function namedSecrets({ provider, key, map }: JsonMap, standard: string, otherwise?: string): NamedSecrets {
  const by = provider ?? standard;
  if (typeof by !== 'string') throw new Unresolved("has a 'provider' that is no text.");
  if (map === undefined || map === null) return { provider: by, key: nameIn(key ?? otherwise ?? null) };
  if (typeof map !== 'object' || Array.isArray(map)) throw new Unresolved("has a 'map' that is no mapping.");
  const names = Object.entries(map as JsonMap).map(([field, name]) => [field, nameIn(name)] as const);
  return { provider: by, map: Object.fromEntries(names) };
}

function nameIn(name: Json): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new Unresolved('names a secret with something that is no text.');
}

/** A text, or a mapping of texts. All that is missing is named at once. */
export async function readSecrets({ provider, key, map }: NamedSecrets, providers: SecretProviders): Promise<Json> {
  if (map === undefined) return providers.read(provider, key ?? '');
  const found = await Promise.allSettled(Object.values(map).map(async (name) => providers.read(provider, name)));
  const problems = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const unexpected = problems.find((problem) => !(problem instanceof Unresolved));
  if (unexpected !== undefined) throw unexpected;
  if (problems.length > 0) {
    const known = problems as readonly Unresolved[];
    const passing = known.every((problem) => problem.passing);
    throw new Unresolved(known.map(({ message }) => message).join('; it '), { passing });
  }
  return Object.fromEntries(
    Object.keys(map).map((field, at) => [field, (found[at] as PromiseFulfilledResult<string>).value]),
  );
}
