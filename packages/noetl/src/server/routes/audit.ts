import { timestampOf } from '@noetl/engine';
import * as z from 'zod';
import { limit } from '../../api/page.ts';
import { AuditPage } from '../../api/tokens.ts';
import type { Audit } from '../../ports/audit.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** Who changed what, and who was refused. */
export const auditRoutes = (audit: Audit): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/audit',
    permission: 'audit',
    tag: 'tokens',
    summary: 'who changed what, and who was refused, newest first',
    query: z.object({ before: z.coerce.number().int().min(1).optional(), limit: limit(50) }),
    answer: AuditPage,
    handle: async ({ query }) => {
      const found = await audit.list(query.before, query.limit + 1);
      const page = found.slice(0, query.limit);
      const entries = page.map(({ number, at, by, from, what, status }) => ({
        number,
        at: timestampOf(at),
        by,
        from: from ?? null,
        what,
        status: status ?? null,
      }));
      return { body: { entries, next: found.length > query.limit ? (page.at(-1)?.number ?? null) : null } };
    },
  }),
];
