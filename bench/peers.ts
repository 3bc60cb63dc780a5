import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { noPostgres, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { measured } from './peers/measured.mjs';
import { type BenchResult, rounded } from './result.ts';

type PeerFigures = Awaited<ReturnType<typeof measured>>;

/** They are no dependencies of the project: they are installed outside of it, once per version. */
const PACKAGES = {
  '@restatedev/restate-server': '1.7.12',
  '@restatedev/restate-sdk': '1.17.2',
  '@dbos-inc/dbos-sdk': '5.3.0',
};
const SCRIPTS = fileURLToPath(new URL('./peers/', import.meta.url));

/**
 * The same executions in NoETL, Restate and DBOS, one engine after the other in the same run: each figure of ours, theirs,
 * and how many times better ours is than the better of theirs.
 */
export async function* peerScenarios(
  execute: (shape: 'chain' | 'fan', steps: number) => Promise<unknown>,
): AsyncGenerator<BenchResult> {
  const folder = installed();
  const peers = { restate: await restateFigures(folder), dbos: await dbosFigures(folder) };
  const ours = await measured(execute);
  for (const { scenario, figure, isRate } of COMPARED) {
    const theirs = Object.entries(peers).flatMap(([name, figures]) =>
      figures === undefined ? [] : [[name, figures[figure]] as const],
    );
    const ratios = theirs.map(([, value]) => (isRate ? ours[figure] / value : value / ours[figure]));
    yield {
      scenario: `peers: ${scenario}`,
      noetl: rounded(ours[figure]),
      ...Object.fromEntries(theirs.map(([name, value]) => [name, rounded(value)])),
      times_better: ratios.length === 0 ? null : rounded(Math.min(...ratios)),
    };
  }
}

const COMPARED: readonly {
  readonly scenario: string;
  readonly figure: keyof PeerFigures;
  readonly isRate?: boolean;
}[] = [
  { scenario: '3 steps, one at a time, p50 ms', figure: 'three_p50_ms' },
  { scenario: '3 steps, 50 in flight, executions per s', figure: 'in_flight_per_s', isRate: true },
  { scenario: '40 sequential steps, ms', figure: 'forty_ms' },
  { scenario: '1000 steps side by side, ms', figure: 'fan_ms' },
];

function installed(): string {
  const name = Object.values(PACKAGES).join('-');
  const folder = join(tmpdir(), `noetl-bench-peers-${name}`);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(SCRIPTS)) {
    if (file.endsWith('.mjs')) copyFileSync(join(SCRIPTS, file), join(folder, file));
  }
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return folder;
  console.error(`installing ${Object.keys(PACKAGES).join(', ')} in ${folder}`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  const { status } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the peers could not be installed (see above); run the command again to retry.');
  return folder;
}

async function restateFigures(folder: string): Promise<PeerFigures | undefined> {
  const built = `restate-server-${platform()}-${arch()}`;
  const program = join(folder, 'node_modules/@restatedev', built, 'bin/restate-server');
  if (!existsSync(program)) return without('Restate', `there is no server for ${platform()} on ${arch()}`);
  return figuresOf(folder, 'restate.mjs', [program, String(await freePort())]);
}

async function dbosFigures(folder: string): Promise<PeerFigures | undefined> {
  if (noPostgres) return without('DBOS', 'PostgreSQL is not installed (Debian: apt install postgresql)');
  // As its packages configure it: what is committed is on the disk.
  const postgres = await startPostgres({ settings: { fsync: 'on' } });
  try {
    return await figuresOf(folder, 'dbos.mjs', [postgres.url.replace(/\/postgres$/, '/bench')]);
  } finally {
    await postgres.stop();
  }
}

function without(peer: string, why: string): undefined {
  console.error(`without ${peer}: ${why}.`);
}

async function figuresOf(folder: string, script: string, args: readonly string[]): Promise<PeerFigures> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RESTATE_LOGGING: 'ERROR' },
  });
  const output = (await text(child.stdout)).trim().split('\n').at(-1) ?? '';
  if (!output.startsWith('{')) throw new Error(`${script} ended without figures (see above).`);
  return JSON.parse(output);
}

/** The first of a few that are free: servers want several, one behind the other. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  await new Promise((closed) => server.close(closed));
  return port;
}
