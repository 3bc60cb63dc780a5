import { didYouMean } from '@noetl/template';
import type { Catalog, CatalogEntry } from '../ports/catalog.ts';

/** A playbook of the catalog as users name it: `PATH`, or `PATH@N` for one of its versions. */
export interface CatalogReference {
  readonly path: string;
  readonly version: number | undefined;
}

function catalogReference(text: string): CatalogReference {
  const [, path, version] = /^(.+)@(\d{1,15})$/s.exec(text) ?? [];
  return path === undefined ? { path: text, version: undefined } : { path, version: Number(version) };
}

/** The entry that is meant. A path that itself ends in `@N` comes before the version of another. */
export async function findInCatalog(
  { path, version }: CatalogReference,
  catalog: Pick<Catalog, 'get'>,
): Promise<CatalogEntry | undefined> {
  if (version === undefined) {
    const reference = catalogReference(path);
    return (
      (await catalog.get(path)) ?? (reference.version === undefined ? undefined : findInCatalog(reference, catalog))
    );
  }
  return catalog.get(path, version);
}

/** As many paths as are looked at for one that is meant. */
const CONSIDERED = 10_000;

/** What is known that comes near to a reference which leads to nothing; empty if nothing does. */
export async function adviceFor(text: string, catalog: Pick<Catalog, 'get' | 'list'>): Promise<string> {
  const { path } = catalogReference(text);
  const newest = (await catalog.get(text)) ?? (await catalog.get(path));
  if (newest !== undefined) return ` The newest version of '${newest.path}' is ${newest.version}.`;
  const hint = didYouMean(
    path,
    (await catalog.list('', CONSIDERED)).map((entry) => entry.path),
  );
  return hint === undefined ? '' : ` ${hint}`;
}
