import { timestampOf } from '@noetl/engine';
import * as z from 'zod';
import type { CatalogEntry } from '../ports/catalog.ts';
import { Page } from './page.ts';
import { PlaybookFiles } from './playbook-files.ts';

/** A version of a playbook, without its text. */
export const PlaybookEntry = z.object({
  path: z.string(),
  version: z.number().int(),
  playbook_id: z.string().describe('what pins the text: its SHA-256, in hex'),
  content_hash: z.string(),
  registered_at: z.string(),
});
export type PlaybookEntry = z.infer<typeof PlaybookEntry>;

export const PlaybookText = PlaybookEntry.extend({
  text: z.string().describe('what runs'),
  original: z
    .object({ text: z.string(), origins: z.array(z.unknown()) })
    .nullable()
    .describe('what its author wrote, if that was in an older dialect'),
});
export type PlaybookText = z.infer<typeof PlaybookText>;

export const PlaybookPage = Page(z.string()).extend({ playbooks: z.array(PlaybookEntry) });
export const VersionPage = Page(z.number().int()).extend({ versions: z.array(PlaybookEntry) });

const Diagnostic = z.object({
  code: z.string(),
  severity: z.string(),
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});
export type Diagnostic = z.infer<typeof Diagnostic>;

/** SPEC §9: a playbook has at most 1 MiB; what is longer gets a diagnostic. */
const Text = z.string().max(2 * 1024 * 1024);

export const ValidateBody = z.strictObject({
  text: Text.describe('the YAML of the playbook'),
  file: z.string().max(1024).optional().describe('what diagnostics call it'),
  legacy: z.boolean().default(false).describe('whether a playbook of an older dialect is upgraded'),
});
export type ValidateBody = z.input<typeof ValidateBody>;
export const Validation = z.object({ valid: z.boolean(), diagnostics: z.array(Diagnostic) });
export type Validation = z.infer<typeof Validation>;

export const RegisterBody = ValidateBody.extend({
  folder: z
    .string()
    .max(4096)
    .optional()
    .describe('the folder that its files are relative to; only commands of the same machine may name one'),
  files: PlaybookFiles.optional().describe('files beside it that it names, for executions from now on'),
});
export type RegisterBody = z.input<typeof RegisterBody>;
export const Registered = PlaybookEntry.extend({
  status: z.enum(['registered', 'unchanged']),
  diagnostics: z.array(Diagnostic),
});
export type Registered = z.infer<typeof Registered>;

export const playbookEntry = ({ path, version, contentHash, registeredAt }: CatalogEntry): PlaybookEntry => ({
  path,
  version,
  playbook_id: contentHash,
  content_hash: contentHash,
  registered_at: timestampOf(registeredAt),
});

export const playbookText = (entry: CatalogEntry): PlaybookText => ({
  ...playbookEntry(entry),
  text: entry.text,
  original: entry.original === undefined ? null : { text: entry.original.text, origins: [...entry.original.origins] },
});
