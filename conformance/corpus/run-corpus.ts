import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonMap } from '@noetl/playbook';
import { built, main } from '../../e2e/program.testing.ts';
import { type Database, startPostgres } from '../../packages/noetl/src/postgres-server.testing.ts';
import type { CorpusPlaybook } from './corpus-playbook.ts';
import { type Judgement, judged } from './judgement.ts';
import { API_HOST, childrenOf, documentOf, fieldsOf, type Library } from './requirements.ts';
import { endForReason, type RunEnd } from './run-end.ts';
import { openStandInApi } from './stand-in-api.ts';

/** How a playbook ended. */
export interface Ended {
  readonly playbook: CorpusPlaybook;
  readonly end: RunEnd;
  /** Why it did not end well. */
  readonly reason?: string;
}

/** Names of credentials that playbooks ask for without telling where they come from. */
const CREDENTIALS = ['pg_k8s', 'pg_local', 'pg_auth', 'pg_noetl_k8s', 'pg_trade', 'pg_test', 'test_postgres', 'my_db'];
const TIME_LIMIT = 240_000;
const LANES = 2;

/** Connections that leave the machine are refused. */
const ON_THIS_MACHINE = {
  NOETL_HTTP_DENY: '0.0.0.0/1,128.0.0.0/1',
  NOETL_HTTP_ALLOW: '127.0.0.0/8',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  no_proxy: '127.0.0.1,localhost',
};

/** Runs playbooks to their end, each in a data folder of its own, two at a time. */
export async function runCorpus(
  playbooks: readonly CorpusPlaybook[],
  library: Library,
  told: (ended: Ended) => void,
): Promise<readonly Ended[]> {
  built();
  const folder = mkdtempSync(join(tmpdir(), 'noetl-corpus-'));
  const postgres = await startPostgres();
  try {
    const waiting = playbooks.map((playbook, nth) => ({ playbook, place: join(folder, String(nth)) }));
    const ends: Ended[] = [];
    const lane = async (name: string) => {
      const world = await openLane(join(folder, name), await postgres.newDatabase(name));
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const ended = await world.run(next.playbook, next.place, library);
        rmSync(next.place, { recursive: true, force: true });
        ends.push(ended);
        told(ended);
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, nth) => lane(`lane_${nth}`)));
    return ends;
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openLane(folder: string, database: Database) {
  const env = { ...ON_THIS_MACHINE, XDG_CONFIG_HOME: join(folder, 'config') };
  const data = join(folder, 'data');
  const { hostname: host, port, username: user, pathname } = new URL(database.url);
  const credential = JSON.stringify({
    host,
    port: Number(port),
    user,
    password: 'not-asked-for',
    database: pathname.slice(1),
  });
  for (const name of CREDENTIALS) {
    await noetl(['credential', 'set', name, '--kind', 'postgres', '--data', data], env, credential);
  }
  const run = async (playbook: CorpusPlaybook, place: string, library: Library): Promise<Ended> => {
    const judgement = judged(playbook);
    const bad = [judgement, ...childrenOf(playbook, library).map(judged)].find(
      ({ errors, end }) => errors.length > 0 || end === 'refused',
    );
    if (bad !== undefined) return { playbook, ...endForReason(playbook, `not valid: ${firstProblem(bad)}`) };
    await database.query('DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public');
    const api = await openStandInApi();
    try {
      cpSync(data, join(place, 'data'), { recursive: true });
      const children = childrenOf(playbook, library).map(judged);
      const files = children.map((child) => written(join(place, 'children'), child));
      const where = ['--data', join(place, 'data')];
      if (files.length > 0) await noetl(['catalog', 'register', ...files, ...where], env);
      const payload = JSON.stringify(payloadOf(playbook, api.url));
      const ending = await noetl(['run', written(place, judgement), '--payload', payload, '--json', ...where], env);
      const reason = reasonOf(ending);
      return reason === undefined ? { playbook, end: 'ok' } : { playbook, ...endForReason(playbook, reason) };
    } finally {
      await api.close();
    }
  };
  return { run };
}

const firstProblem = ({ errors, migration, playbook }: Judgement): string => {
  const [first] = [...migration.problems, ...errors];
  return `${playbook.name}:${first?.line}: ${first?.code}: ${first?.message}`;
};

function written(folder: string, { playbook, migration }: Judgement): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, basename(playbook.name));
  writeFileSync(file, migration.text);
  return file;
}

/** Addresses of the API in the workload, as those of the stand-in. */
function payloadOf(playbook: CorpusPlaybook, url: string): JsonMap {
  const workload = Object.entries(fieldsOf(fieldsOf(documentOf(playbook)).workload));
  return Object.fromEntries(
    workload.flatMap(([key, value]) =>
      typeof value === 'string' && value.includes(API_HOST) ? [[key, value.replace(`http://${API_HOST}`, url)]] : [],
    ),
  );
}

interface Ending {
  readonly stdout: string;
  readonly stderr: string;
  readonly late: boolean;
}

/** Why it did not end in success; undefined if it did. */
function reasonOf({ stdout, stderr, late }: Ending): string | undefined {
  if (late) return `not over after ${TIME_LIMIT / 1000} s`;
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) return stderr.trim().split('\n').slice(0, 3).join(' ');
  const { payload } = JSON.parse(last);
  if (payload.status === 'success') return undefined;
  const { kind, message, step } = payload.error ?? {};
  return `${step ?? ''} ${kind}: ${String(message).slice(0, 400).replaceAll('\n', ' ')}`.trim();
}

async function noetl(args: readonly string[], env: NodeJS.ProcessEnv, input?: string): Promise<Ending> {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  if (child.stdout === null || child.stderr === null) throw new Error('the program has no streams');
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, TIME_LIMIT);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  clearTimeout(limit);
  return { stdout, stderr, late };
}
