import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openResultStores } from '../packages/noetl/src/cli/result-stores.ts';
import type { ResultStore } from '../packages/noetl/src/ports/result-store.ts';
import { type BenchResult, rounded } from './result.ts';

const MEBIBYTE = 1024 * 1024;
const MEBIBYTES = 128;

/**
 * How fast values go into result stores and out of them, durably, a piece at a time: files, and what the environment names
 * (NOETL_RESULTS_POSTGRES, NOETL_NATS_URL).
 */
export async function* resultScenarios(): AsyncGenerator<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  const { results, close } = openResultStores(folder, { environment: process.env, workingFolder: process.cwd() });
  try {
    yield* passing(results);
    for (const name of ['postgres/noetl.bench', 'nats_object/noetl-bench']) {
      const store = results.named(name);
      if (!('problem' in store)) yield* passing(store);
    }
  } finally {
    await close();
    await rm(folder, { recursive: true });
  }
}

async function* passing(results: ResultStore): AsyncGenerator<BenchResult> {
  const [kind] = results.name.split('/');
  const came = performance.now();
  const reference = await results.putPieces(pieces(), () => 'string');
  yield speed(`results.${kind}-in`, came);
  const left = performance.now();
  let bytes = 0;
  for await (const piece of results.read(reference)) bytes += piece.length;
  if (bytes !== reference.size) throw new Error(`${bytes} of ${reference.size} bytes came out`);
  yield speed(`results.${kind}-out`, left);
  await results.remove([reference]);
}

const speed = (scenario: string, began: number): BenchResult => ({
  scenario,
  mb_per_s: rounded((MEBIBYTES * MEBIBYTE) / 1e6 / ((performance.now() - began) / 1_000)),
  mb: rounded((MEBIBYTES * MEBIBYTE) / 1e6),
  peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
});

/** A text as JSON writes it, which no disk and no database can make smaller. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let nth = 0; nth < MEBIBYTES * 4; nth++) {
    const piece = Buffer.from(noise(nth));
    if (nth === 0) piece.write('"', 0);
    if (nth === MEBIBYTES * 4 - 1) piece.write('"', piece.length - 1);
    yield piece;
  }
}

const LINES = Array.from({ length: 4_096 }, (_, nth) => createHash('sha256').update(`${nth}`).digest('hex'));

const noise = (nth: number): string => [...LINES.slice(nth % 4_096), ...LINES.slice(0, nth % 4_096)].join('');
