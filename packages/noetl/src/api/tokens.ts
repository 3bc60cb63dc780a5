import * as z from 'zod';
import { canBeBound } from '../server/http/permissions.ts';
import { ROLES } from '../server/http/roles.ts';
import { Page } from './page.ts';

/** What is known of a token: never the token itself. */
export const TokenEntry = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  prefix: z.string(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  valid: z.boolean(),
});
export type TokenEntry = z.infer<typeof TokenEntry>;

/** Seconds that a token is valid at most: ten years. */
export const LONGEST_VALIDITY = 10 * 366 * 86_400;

export const TokenBody = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.@-]{1,64}$/, 'expected letters, digits, _ . @ and -, at most 64')
      .describe('what people call it by, and what stands in the audit log'),
    role: z.enum(ROLES),
    prefix: z.string().max(1024).default('').describe('only playbooks whose path begins so, and their executions'),
    expires_in: z.number().int().min(1).max(LONGEST_VALIDITY).optional().describe('seconds; never unless given'),
  })
  .refine(({ role, prefix }) => prefix === '' || canBeBound(role), {
    message: 'a token of this role cannot be bound to a path: what it does has to do with none',
    path: ['prefix'],
  });
export type TokenBody = z.input<typeof TokenBody>;

/** The only answer that ever shows the token. */
export const MadeToken = TokenEntry.extend({ token: z.string() });
export type MadeToken = z.infer<typeof MadeToken>;

export const AuditRecord = z.object({
  number: z.number().int(),
  at: z.string(),
  by: z.string(),
  from: z.string().nullable().describe('the address that it came from; null for what a command did on the folder'),
  what: z.string(),
  status: z.number().int().nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export const AuditPage = Page(z.number().int()).extend({ entries: z.array(AuditRecord) });
export type AuditPage = z.infer<typeof AuditPage>;
