import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { CampaignResult, Finding } from './fuzzing/campaign.ts';
import { generateDocument } from './fuzzing/generate.ts';
import { loadSeeds } from './fuzzing/seeds.ts';

/**
 * `npm run fuzz:playbook [-- --n 100000 --seed S --first I]` reads mutated playbooks: none may crash or stop the process,
 * take more than 250 ms, let memory grow over 512 MB or reach a prototype. Each part runs in a process of its own, so that
 * a document that never ends or kills the process is found too.
 */
const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    first: { type: 'string', default: '0' },
  },
});

const CHILD = fileURLToPath(new URL('./fuzz-child.ts', import.meta.url));
const PART = 20_000;
/** What even a slow machine needs for a case, many times over. */
const MS_PER_CASE = 50;
const LEAST_MS = 60_000;

const seed = Number(options.seed ?? Date.now() % 1_000_000);
const first = Number(options.first);
const count = Number(options.n);
const started = performance.now();
const totals = { findings: 0, slowestMs: 0, rssBytes: 0 };
console.log(`seed ${seed}`);

for (let done = 0; done < count; ) {
  const part = Math.min(PART, count - done);
  const result = await runPart(first + done, part);
  done += part;
  for (const finding of result.findings) report(finding);
  totals.findings += result.findings.length;
  totals.slowestMs = Math.max(totals.slowestMs, result.slowestMs);
  totals.rssBytes = Math.max(totals.rssBytes, result.rssBytes);
  const rate = Math.round((done / (performance.now() - started)) * 1000);
  console.error(`… ${done} documents, ${totals.findings} findings, ${rate}/s`);
}
const seconds = (performance.now() - started) / 1000;
console.log(
  `${count} documents, ${totals.findings} findings, slowest ${Math.round(totals.slowestMs)} ms, ` +
    `memory ${Math.round(totals.rssBytes / 2 ** 20)} MB, ${Math.round(count / seconds)}/s`,
);
process.exitCode = totals.findings === 0 ? 0 : 1;

/** Runs a part in a process of its own. One that dies or never ends is searched for the document that did it. */
async function runPart(from: number, length: number): Promise<CampaignResult> {
  const answer = await runChild(from, length);
  if (typeof answer !== 'string') return answer;
  if (length === 1) {
    const finding = { index: from, problem: answer, document: generateDocument(loadSeeds(), seed, from) };
    return { cases: 1, findings: [finding], slowestMs: 0, rssBytes: 0 };
  }
  const half = Math.floor(length / 2);
  const parts = [await runPart(from, half), await runPart(from + half, length - half)];
  return {
    cases: length,
    findings: parts.flatMap((part) => part.findings),
    slowestMs: Math.max(...parts.map((part) => part.slowestMs)),
    rssBytes: Math.max(...parts.map((part) => part.rssBytes)),
  };
}

/** The result, or how the process ended without one. */
function runChild(from: number, length: number): Promise<CampaignResult | string> {
  return new Promise((resolve) => {
    const child = fork(CHILD, [seed, from, length].map(String));
    const timer = setTimeout(() => child.kill('SIGKILL'), Math.max(LEAST_MS, length * MS_PER_CASE));
    let result: CampaignResult | undefined;
    child.on('message', (message) => {
      result = message as CampaignResult;
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(result ?? (signal === 'SIGKILL' ? 'never ends' : `the process died: ${signal ?? `exit code ${code}`}`));
    });
  });
}

function report({ index, problem, document }: Finding): void {
  const shown =
    document.length > 2_000
      ? `${JSON.stringify(document.slice(0, 2_000))} … ${document.length} characters`
      : JSON.stringify(document);
  console.log(`finding: seed ${seed}, index ${index}: ${problem}\n  ${shown}`);
}
