import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchResult, rounded } from './result.ts';

const PROGRAM = fileURLToPath(new URL('../packages/noetl/dist/bundle/main.js', import.meta.url));
/** Bytes of the answer of http, and rows of the select. */
const BYTES = Number(process.env.NOETL_BENCH_BYTES ?? 1_000_000_000);
const ROWS = Number(process.env.NOETL_BENCH_ROWS ?? 5_000_000);
const RESULTS = 1_000;
const GOAL_MB = 150;

/** What values that are larger than memory may be cost in memory: the whole program, beside a run that has a small one. */
export async function* largeResultScenarios(): AsyncGenerator<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://bench');
    sendBytes(response, searchParams.get('type') ?? '', Number(searchParams.get('bytes')));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const http = (type: string) => (bytes: number) =>
    `kind: http, url: "http://127.0.0.1:${port}/?type=${type}&bytes=${bytes}", spec: { timeout: 3600 }`;
  try {
    for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
      yield await grown(folder, `large result: http ${type}`, http(type), [1_000, BYTES], BYTES);
    }
    const select = (rows: number) =>
      `kind: duckdb, query: "SELECT i, 'row ' || i AS name, i * 1.5 AS price FROM range(${rows}) t(i)"`;
    yield await grown(folder, 'large result: rows of a select', select, [10, ROWS], ROWS);
    const loop = (bytes: number) => `kind: noop, result: "{{ 'x' * ${bytes} }}"`;
    yield await grown(
      folder,
      `large result: loop of ${RESULTS}`,
      loop,
      [100_000, 1_000_000],
      RESULTS * 1_000_000,
      RESULTS,
    );
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}

async function grown(
  folder: string,
  scenario: string,
  task: (size: number) => string,
  [small, large]: readonly [number, number],
  amount: number,
  items = 0,
): Promise<BenchResult> {
  const before = await ran(folder, task(small), items);
  const after = await ran(folder, task(large), items);
  const growth = after.peak - before.peak;
  return {
    scenario,
    amount,
    seconds: rounded(after.seconds),
    peak_rss_mb: Math.round(after.peak),
    growth_mb: Math.round(growth),
    goal_mb: GOAL_MB,
    met: growth < GOAL_MB,
  };
}

async function ran(folder: string, task: string, items: number): Promise<{ peak: number; seconds: number }> {
  const file = join(folder, 'large.yaml');
  const loop =
    items === 0 ? '' : `    loop: { in: "{{ range(${items}) | list }}", iterator: x, spec: { mode: parallel } }\n`;
  await writeFile(
    file,
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: large }\nworkflow:\n  - step: start\n${loop}    tool: { ${task} }\n    next: { arcs: [{ step: end }] }\n  - step: end\n    tool: { kind: noop, result: done }\n`,
  );
  const data = join(folder, 'data');
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'run', file, '--data', data, '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const peak = await peakOf(child);
  const seconds = (performance.now() - began) / 1_000;
  if (child.exitCode !== 0) throw new Error(`the run of ${task} failed`);
  await rm(data, { recursive: true });
  return { peak, seconds };
}

/** Megabytes that a process had at most, as the system counts them, until it ends. */
async function peakOf(child: ChildProcess): Promise<number> {
  let peak = 0;
  const watch = setInterval(() => {
    try {
      peak = Math.max(
        peak,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
      );
    } catch {
      clearInterval(watch);
    }
  }, 20);
  await once(child, 'exit');
  clearInterval(watch);
  return peak;
}

/** Sends so many bytes, as fast as they are taken: rows of JSON, lines, or anything. */
async function sendBytes(response: ServerResponse, type: string, bytes: number): Promise<void> {
  response.setHeader('content-type', type);
  const isJson = type === 'application/json';
  const row = '{"id": 12345, "name": "somebody\\u0020else", "tags": ["a", "b"], "price": 1.25}';
  const piece = isJson ? `,${row}`.repeat(800) : 'a line of text that says "something"\n'.repeat(1_700);
  if (isJson) response.write(`[${row}`);
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (!response.write(piece)) await once(response, 'drain');
  }
  response.end(isJson ? ']' : '');
}
