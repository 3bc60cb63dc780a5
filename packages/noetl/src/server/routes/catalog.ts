import type { PlaybookReading } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';
import * as z from 'zod';
import {
  type Diagnostic,
  PlaybookPage,
  PlaybookText,
  playbookEntry,
  playbookText,
  RegisterBody,
  Registered,
  ValidateBody,
  Validation,
  VersionPage,
} from '../../api/catalog.ts';
import { limit } from '../../api/page.ts';
import type { Catalog, CatalogEntry } from '../../ports/catalog.ts';
import type { PlaybookFiles } from '../../ports/playbook-files.ts';
import { type Caller, isWithin } from '../http/permissions.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';

export interface CatalogWork {
  readonly catalog: Catalog;
  /** Reads a playbook; `legacy` upgrades an older one on the way in (MIG-2). */
  read(text: string, file: string, legacy: boolean): PlaybookReading & Translated;
  /** Registers a valid text. */
  register(path: string, read: Translated, beside: Beside): Promise<Registration>;
}

type Translated = Pick<CatalogEntry, 'text'> & { readonly original: CatalogEntry['original'] };

/** Where files are that the playbook names: in a folder of this machine, or here. */
interface Beside {
  readonly folder?: string | undefined;
  readonly files?: PlaybookFiles | undefined;
}

interface Registration {
  readonly entry: CatalogEntry;
  readonly isNew: boolean;
}

const Path = z.object({ path: z.string().min(1).max(1024).describe('of the playbook, with its slashes written %2F') });

/** Playbooks by path and version. */
export const catalogRoutes = ({ catalog, read, register }: CatalogWork): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/catalog',
    permission: 'register',
    tag: 'catalog',
    summary: 'register a playbook: a new version, or the newest one if it has this content already',
    body: RegisterBody,
    answer: Registered,
    handle: async ({ body, caller }) => {
      const found = read(body.text, body.file ?? 'playbook', body.legacy);
      const { playbook, diagnostics } = found;
      const told = diagnostics.map(diagnosticJson);
      if (playbook === undefined) {
        throw new Problem('NOETL_API_PLAYBOOK_INVALID', 'the playbook is not valid; nothing was registered.', {
          diagnostics: told,
        });
      }
      const { path } = playbook.metadata;
      if (!isWithin(path, caller.prefix)) {
        throw new Problem('NOETL_API_FORBIDDEN', `the token allows paths within '${caller.prefix}', not '${path}'.`);
      }
      if (body.folder !== undefined && !caller.local) {
        throw new Problem('NOETL_API_FORBIDDEN', 'body.folder: only commands of the same machine may name a folder.');
      }
      for (const { content, path: name } of body.files?.entries ?? []) {
        const text = Buffer.from(content, 'base64').toString('utf8');
        const called = caller.prefix === '' ? undefined : calledPath(text, read);
        if (called !== undefined && !isWithin(called, caller.prefix)) {
          const found = `body.files: '${name}' is the playbook '${called}'`;
          throw new Problem('NOETL_API_FORBIDDEN', `${found}, and the token allows paths within '${caller.prefix}'.`);
        }
      }
      const { entry, isNew } = await register(path, found, body);
      return {
        body: { ...playbookEntry(entry), status: isNew ? 'registered' : 'unchanged', diagnostics: told },
        about: `${entry.path}@${entry.version}`,
      };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/catalog/validate',
    permission: 'read',
    tag: 'catalog',
    summary: 'say what is wrong with a playbook',
    audited: false,
    body: ValidateBody,
    answer: Validation,
    handle: async ({ body }) => {
      const { playbook, diagnostics } = read(body.text, body.file ?? 'playbook', body.legacy);
      return { body: { valid: playbook !== undefined, diagnostics: diagnostics.map(diagnosticJson) } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/catalog',
    permission: 'read',
    tag: 'catalog',
    summary: 'list the newest version of each playbook, in the order of their paths',
    query: z.object({ after: z.string().default('').describe('the path behind which to go on'), limit: limit(50) }),
    answer: PlaybookPage,
    handle: async ({ query, caller }) => {
      const entries = await listed(catalog, query.after, query.limit + 1, caller);
      const page = entries.slice(0, query.limit);
      const next = entries.length > query.limit ? (page.at(-1)?.path ?? null) : null;
      return { body: { playbooks: page.map(playbookEntry), next } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/catalog/{path}',
    permission: 'read',
    tag: 'catalog',
    summary: 'a playbook with its text: the newest version unless one is named',
    params: Path,
    query: z.object({ version: z.coerce.number().int().min(1).optional() }),
    answer: PlaybookText,
    handle: async ({ params, query, caller }) => ({
      body: playbookText(await knownPlaybook(catalog, params.path, query.version, caller)),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/catalog/{path}/versions',
    permission: 'read',
    tag: 'catalog',
    summary: 'list the versions of a playbook, newest first',
    params: Path,
    query: z.object({ before: z.coerce.number().int().min(1).optional(), limit: limit(50) }),
    answer: VersionPage,
    handle: async ({ params: { path }, query, caller }) => {
      const entries = isWithin(path, caller.prefix) ? await catalog.history(path, query.before, query.limit + 1) : [];
      if (entries.length === 0) await knownPlaybook(catalog, path, undefined, caller);
      const page = entries.slice(0, query.limit);
      const next = entries.length > query.limit ? (page.at(-1)?.version ?? null) : null;
      return { body: { versions: page.map(playbookEntry), next } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/playbooks/{id}',
    permission: 'read',
    tag: 'catalog',
    summary: 'a playbook by its id, whatever was registered since',
    params: z.object({ id: z.string().min(1).max(128) }),
    answer: PlaybookText,
    handle: async ({ params, caller }) => ({ body: playbookText(await playbookById(catalog, params.id, caller)) }),
  }),
];

/** A playbook that is called by its file is registered thereby, under its own path. */
const calledPath = (text: string, read: CatalogWork['read']): string | undefined =>
  [false, true].map((legacy) => read(text, 'playbook', legacy).playbook?.metadata.path).find(Boolean);

/** The playbook that is meant, for who may see it. */
export async function knownPlaybook(
  catalog: Catalog,
  path: string,
  version: number | undefined,
  { prefix }: Caller,
): Promise<CatalogEntry> {
  const entry = isWithin(path, prefix) ? await catalog.get(path, version) : undefined;
  if (entry !== undefined) return entry;
  const which = version === undefined ? `'${path}'` : `'${path}' of version ${version}`;
  const known = (await catalog.list('', CONSIDERED)).filter((other) => isWithin(other.path, prefix));
  const newest = known.find((other) => other.path === path);
  const near =
    newest === undefined
      ? didYouMean(
          path,
          known.map((other) => other.path),
        )
      : `The newest is ${newest.version}.`;
  throw new Problem(
    'NOETL_API_PLAYBOOK_UNKNOWN',
    `the catalog has no playbook ${which}.${near === undefined ? '' : ` ${near}`}`,
  );
}

export async function playbookById(catalog: Catalog, id: string, { prefix }: Caller): Promise<CatalogEntry> {
  const entry = await catalog.byHash(id);
  if (entry !== undefined && isWithin(entry.path, prefix)) return entry;
  throw new Problem('NOETL_API_PLAYBOOK_UNKNOWN', `the catalog has no playbook with the id '${id}'.`);
}

/** As many paths as are looked at for one that is meant. */
const CONSIDERED = 10_000;
const PAGE = 500;

/** Those that the caller may see. */
async function listed(
  catalog: Catalog,
  after: string,
  most: number,
  { prefix }: Caller,
): Promise<readonly CatalogEntry[]> {
  const found: CatalogEntry[] = [];
  for (let from = after; found.length < most; ) {
    const page = await catalog.list(from, prefix === '' ? most : PAGE);
    found.push(...page.filter(({ path }) => isWithin(path, prefix)));
    const last = page.at(-1);
    if (last === undefined || prefix === '') break;
    from = last.path;
  }
  return found.slice(0, most);
}

const diagnosticJson = ({
  code,
  severity,
  line,
  column,
  message,
  hint,
}: Omit<Diagnostic, 'hint'> & { hint?: unknown }): Diagnostic => ({
  code,
  severity,
  line,
  column,
  message,
  ...(typeof hint === 'string' ? { hint } : {}),
});
