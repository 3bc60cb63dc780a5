import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { JsonMap } from '@noetl/playbook';
import pg from 'pg';
import { freePort } from './free-port.testing.ts';

/** A database, as somebody sees it who looks on. */
export interface Database {
  /** Of the superuser, who needs no password. */
  readonly url: string;
  query(sql: string): Promise<readonly JsonMap[]>;
}

/** A PostgreSQL of its own, in a temporary folder. */
export interface PostgresServer extends Database {
  readonly port: number;
  newDatabase(name: string): Promise<Database>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** Settings of the server, as `-c name=value` takes them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A certificate and its key, as PEM: connections may then use TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

const PACKAGES = '/usr/lib/postgresql';

/** The folder of its programs; undefined where none is installed. */
function programsOf(): string | undefined {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(PACKAGES, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** Whether suites that need a PostgreSQL are left out; with CI=true they are not, and fail. */
export const noPostgres = programsOf() === undefined && process.env.CI !== 'true';

/**
 * The server ends when its standard input does: so it never outlives who started it, however that ends. It answers a
 * moment after it was started.
 */
const KEEPER = `
"$0" "$@" >"$LOG" 2>&1 &
server=$!
while read -r _; do :; done
kill -INT $server
wait $server
rm -rf "$FOLDER"
`;

export async function startPostgres({ settings = {}, tls }: ServerOptions = {}): Promise<PostgresServer> {
  const programs = programsOf();
  if (programs === undefined) throw new Error('PostgreSQL is not installed (Debian: apt-get install postgresql)');
  const folder = mkdtempSync(join(tmpdir(), 'noetl-postgres-'));
  const owner = ownerOf();
  const own = (path: string) => owner !== undefined && chownSync(path, owner.uid, owner.gid);
  own(folder);
  const data = join(folder, 'data');
  const common = { cwd: folder, ...owner };
  const initdb = ['-D', data, '-U', 'noetl', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(programs, 'initdb'), initdb, { ...common, stdio: ['ignore', 'ignore', 'pipe'] });
  const secured = Object.entries(tls ?? {}).map(([name, text]) => {
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, text, { mode: 0o600 });
    own(file);
    return [name === 'key' ? 'ssl_key_file' : 'ssl_cert_file', file] as const;
  });
  const port = await freePort();
  const all = {
    fsync: 'off',
    ...(tls === undefined ? {} : { ssl: 'on', ...Object.fromEntries(secured) }),
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...options];
  const log = join(folder, 'log');
  const keeper = spawn('sh', ['-c', KEEPER, join(programs, 'postgres'), ...args], {
    ...common,
    env: { ...process.env, FOLDER: folder, LOG: log },
    // Its own group, so that it sees the end of who started it instead of ending together.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const stop = async (): Promise<void> => {
    const ended = once(keeper, 'exit');
    keeper.stdin.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = () =>
    execFileSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  await untilReady(ready).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const databaseOf = (name: string) => database(`postgresql://noetl@127.0.0.1:${port}/${name}`);
  const first = databaseOf('postgres');
  return {
    ...first,
    port,
    async newDatabase(name) {
      await first.query(`CREATE DATABASE "${name}"`);
      return databaseOf(name);
    },
    stop,
  };
}

const database = (url: string): Database => ({
  url,
  async query(sql) {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query<JsonMap>(sql)).rows;
    } finally {
      await client.end();
    }
  },
});

/** It refuses to be run by root. */
function ownerOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function untilReady(probe: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      probe();
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }
}
