import { API_VERSION, DOCUMENT_KIND } from '../../model/vocabulary.ts';
import { declareDescribed } from '../credentials/declare-described.ts';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { renameNames } from '../names/rename-names.ts';
import { entry, scalar } from '../tree/build.ts';
import { entryOf, replacedValue, revalued, textOf, withEntries, withEntry, without } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { migrateEntry, migrateExecutor } from './executor.ts';
import { migrateKeychain } from './keychain.ts';
import { migrateMetadata } from './metadata.ts';
import { migrateRootVars } from './root-vars.ts';
import { migrateWorkbook } from './workbook.ts';

type RootRule = (root: MapTree, facts: DocumentFacts, journal: Journal) => MapTree;

/** What stands at the root beside the workflow. */
export const migrateRoot: RootRule = (root, facts, journal) =>
  RULES.reduce((changed, rule) => rule(changed, facts, journal), root);

/** Versions of the language that are older than this one. */
const OLDER_VERSIONS = new Set(['noetl.io/v1', 'noetl.io/v1alpha1', 'noetl.io/v1beta1']);

const apiVersion: RootRule = (root, _facts, journal) => {
  const version = entryOf(root, 'apiVersion');
  if (version === undefined || !OLDER_VERSIONS.has(textOf(version.value) ?? '')) return root;
  journal.note('api-version', version.at, `apiVersion ${textOf(version.value)} becomes ${API_VERSION}`);
  return replacedValue(root, 'apiVersion', scalar(API_VERSION));
};

const kind: RootRule = (root, _facts, journal) => {
  const version = entryOf(root, 'apiVersion');
  if (version === undefined || entryOf(root, 'kind') !== undefined || entryOf(root, 'workflow') === undefined)
    return root;
  journal.note('kind-missing', version.at, `kind: ${DOCUMENT_KIND} is said`);
  return withEntry(root, entry('kind', DOCUMENT_KIND, version.at), { after: 'apiVersion' });
};

const tracing: RootRule = (root, _facts, journal) => {
  const old = entryOf(root, 'tracing');
  if (old === undefined) return root;
  journal.note('root-removed', old.at, "'tracing' is left out: where traces go is set up with the installation", {
    review: true,
  });
  return without(root, 'tracing');
};

const rootNames: RootRule = (root, facts, journal) => {
  const entries = root.entries.map((part) =>
    part.key === 'workload' || part.key === 'keychain'
      ? revalued(part, renameNames(part.value, { at: 'root' }, facts, journal, part.at))
      : part,
  );
  return entries.every((part, i) => part === root.entries[i]) ? root : withEntries(root, entries);
};

const RULES: readonly RootRule[] = [
  apiVersion,
  kind,
  migrateMetadata,
  tracing,
  migrateExecutor,
  migrateEntry,
  migrateKeychain,
  (root, _facts, journal) => declareDescribed(root, journal),
  migrateWorkbook,
  migrateRootVars,
  rootNames,
];
