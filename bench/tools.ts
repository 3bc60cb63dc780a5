import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ToolAnswer } from '../packages/noetl/src/tools/define-tool.ts';
import { memoryKeep } from '../packages/noetl/src/tools/memory-keep.testing.ts';
import { taskCall, toolsUnderTest } from '../packages/noetl/src/tools/task-call.testing.ts';
import { type BenchResult, rounded } from './result.ts';

const PYTHON_GOAL_MICROS = 1000;
const HTTP_GOAL_PER_S = 1000;
const SECONDS = 2;
const SERVER = `
const server = require('node:http').createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"ok":true}');
});
server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port));
`;

/** What one call of a tool costs once its processes and connections are warm. */
export async function* toolScenarios(): AsyncGenerator<BenchResult> {
  const { tools } = toolsUnderTest();
  const machine = { log: () => undefined, keep: memoryKeep(), folder: import.meta.dirname, environment: process.env };
  const caller = (yaml: string) => {
    const call = taskCall(yaml);
    return () => tools.call(call, { ...machine, signal: new AbortController().signal });
  };
  // In a thread of its own, so that only the tool is measured.
  const server = new Worker(SERVER, { eval: true });
  const [port] = (await once(server, 'message')) as [number];
  try {
    yield await oneByOne('tools.noop', caller('kind: noop\nresult: { a: 1 }'));
    const python = caller('kind: python\nargs: { n: 1 }\ncode: |\n  def main(n):\n      return n + 1');
    yield await oneByOne('tools.python', python, PYTHON_GOAL_MICROS);
    yield await atOnce('tools.python, 20 at once', python, 20);
    const javascript = caller('kind: javascript\nargs: { n: 1 }\ncode: "function main({ n }) { return n + 1; }"');
    yield await oneByOne('tools.javascript', javascript);
    yield await atOnce('tools.javascript, 20 at once', javascript, 20);
    yield await oneByOne('tools.shell', caller('kind: shell\ncommand: ["true"]'));
    const http = caller(`kind: http\nurl: http://127.0.0.1:${port}/`);
    yield await oneByOne('tools.http', http);
    yield await atOnce('tools.http, 50 at once', http, 50, HTTP_GOAL_PER_S);
  } finally {
    await tools.close();
    await server.terminate();
  }
}

async function oneByOne(scenario: string, run: () => Promise<ToolAnswer>, goal?: number): Promise<BenchResult> {
  await warm(run);
  const micros: number[] = [];
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; ) {
    const began = performance.now();
    await run();
    micros.push((performance.now() - began) * 1000);
  }
  micros.sort((a, b) => a - b);
  const at = (share: number) => rounded(micros[Math.floor((micros.length - 1) * share)] ?? 0);
  const p50 = at(0.5);
  return { scenario, p50_micros: p50, p99_micros: at(0.99), ...(goal === undefined ? {} : { goal, met: p50 <= goal }) };
}

async function atOnce(
  scenario: string,
  run: () => Promise<ToolAnswer>,
  callers: number,
  goal?: number,
): Promise<BenchResult> {
  await warm(run);
  let calls = 0;
  const began = performance.now();
  const end = began + SECONDS * 1000;
  const caller = async () => {
    for (; performance.now() < end; calls++) await run();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const perSecond = rounded((calls / (performance.now() - began)) * 1000);
  return { scenario, per_s: perSecond, ...(goal === undefined ? {} : { goal, met: perSecond >= goal }) };
}

async function warm(run: () => Promise<ToolAnswer>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 20 }, run));
  const failed = answers.find(({ status }) => status === 'error');
  if (failed !== undefined) throw new Error(`a tool of the bench failed: ${failed.error?.message}`);
}
