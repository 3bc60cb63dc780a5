import { timestampOf } from '@noetl/engine';
import type { AuditRecord } from '../../api/tokens.ts';
import { dataOption } from '../data-option.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Machine } from '../machine.ts';
import type { Terminal } from '../terminal.ts';
import { auditList } from '../views/audit-list.ts';
import { type ExecOptions, type Look, looking } from './exec/looking.ts';

export interface AuditOptions extends ExecOptions {
  readonly before: number | undefined;
  readonly limit: number;
}

/** Lists who changed what, and who was refused, newest first. */
export const audit = (options: AuditOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { limit, json, data } = options;
    const found = await entriesOf(options, look);
    const entries = found.slice(0, limit);
    const last = found.length > limit ? entries.at(-1)?.number : undefined;
    const more = last === undefined ? undefined : `noetl audit --before ${last} --limit ${limit}${dataOption(data)}`;
    terminal.print(json ? `${JSON.stringify(entries)}\n` : auditList(entries, { color: terminal.color, more }));
    return EXIT.ok;
  });

async function entriesOf({ before, limit }: AuditOptions, { folder }: Look): Promise<readonly AuditRecord[]> {
  const { store, remote } = folder;
  if (remote !== undefined) {
    const page = await remote.audit({ limit: Math.min(limit + 1, 1_000), ...(before === undefined ? {} : { before }) });
    return page.entries;
  }
  const entries = await store.audit.list(before, limit + 1);
  return entries.map(({ number, at, by, from, what, status }) => ({
    number,
    at: timestampOf(at),
    by,
    from: from ?? null,
    what,
    status: status ?? null,
  }));
}
