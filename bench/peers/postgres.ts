import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A PostgreSQL of its own, in a temporary folder, as its packages configure it. */
export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

const PACKAGES = '/usr/lib/postgresql';

/** Undefined where none is installed. */
export async function startPostgres(port: number): Promise<Postgres | undefined> {
  const [newest] = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort((a, b) => Number(b) - Number(a)) : [];
  if (newest === undefined) return undefined;
  const program = (name: string): string => join(PACKAGES, newest, 'bin', name);
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  // It refuses to be run by root; its package brings a user for it.
  const isRoot = userInfo().uid === 0;
  if (isRoot) execFileSync('chown', ['postgres', folder]);
  const as = (command: string, args: readonly string[]): [string, string[]] =>
    isRoot ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, [...args]];
  const data = join(folder, 'data');
  execFileSync(...as(program('initdb'), ['-D', data, '-U', 'bench', '--auth=trust']), { stdio: 'ignore', cwd: folder });
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder];
  const server = spawn(...as(program('postgres'), options), { stdio: 'ignore', cwd: folder });
  const ready = [program('pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]] as const;
  for (let tries = 0; ; tries++) {
    try {
      execFileSync(...ready, { stdio: 'ignore' });
      break;
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(100);
    }
  }
  return {
    url: `postgresql://bench@127.0.0.1:${port}/bench`,
    async stop() {
      const ended = once(server, 'exit');
      execFileSync(...as(program('pg_ctl'), ['-D', data, '-m', 'immediate', 'stop']), { stdio: 'ignore', cwd: folder });
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
