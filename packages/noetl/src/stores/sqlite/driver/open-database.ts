import type { Database } from './database.ts';
import { openLibsql } from './libsql.ts';
import { type NodeSqlite, openNodeSqlite } from './node-sqlite.ts';

export type DriverName = 'node:sqlite' | 'libsql';

/** Opens a file with Node's own SQLite where there is one, else with libsql; neither is loaded before it is needed. */
export async function openDatabase(file: string, driver?: DriverName): Promise<Database> {
  const own = driver === 'libsql' ? undefined : await ownSqlite();
  if (own !== undefined) return openNodeSqlite(own, file);
  if (driver === 'node:sqlite') throw new Error('this version of Node has no node:sqlite');
  const { default: Libsql } = await import('libsql');
  return openLibsql(Libsql, file);
}

/** The name is kept from bundlers and compilers, which look it up in the list of an older Node. */
const OWN: string = 'node:sqlite';

async function ownSqlite(): Promise<NodeSqlite | undefined> {
  try {
    return (await import(OWN)) as NodeSqlite;
  } catch {
    return undefined;
  }
}
