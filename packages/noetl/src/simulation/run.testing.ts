import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Batch, type BatchReport, storyOf } from './batch.testing.ts';
import { shrink } from './shrink.testing.ts';
import { createSimulation } from './simulate.testing.ts';
import { createSometimes, LONG_RUN, missedBy } from './sometimes.testing.ts';
import { TELLINGS } from './story.testing.ts';
import { toldBy } from './storytellers.testing.ts';
import { toldStory } from './told-story.testing.ts';

/** Stories of one batch. */
const BATCH = 10 * TELLINGS;
const REPORT_EVERY = 30_000;

const HELP = `npm run sim -- [options]: tells random stories of processes that crash, and stops at the first that goes wrong.

  --seeds N       so many stories (200)
  --crashes N     as many as it takes for so many crashes, instead
  --seed S        from this seed on (1); alone: this story, with the hash of its log
  --step N        every N-th seed only (1); with ${TELLINGS}, each story is about another workflow
  --workers       with a server and workers in processes of their own, instead of processes that work themselves
  --processes N   how many processes tell them (one for each core); what is told does not depend on it
  --unshrunk      do not look for a shorter story that goes wrong in the same way
  --help          this text

Runs of ${LONG_RUN} stories or more fail also if one of the situations that they count was never met.

  npm run sim -- --seeds 1000
  npm run sim -- --crashes 1000000
  npm run sim -- --seed 77
`;

const options = {
  seeds: { type: 'string' },
  crashes: { type: 'string' },
  seed: { type: 'string' },
  step: { type: 'string' },
  processes: { type: 'string' },
  workers: { type: 'boolean' },
  unshrunk: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const { values } = understood();
if (values.seeds !== undefined && values.crashes !== undefined) refuse('--seeds and --crashes: one of them');
const remote = values.workers ?? false;
const first = numberIn(values.seed, 1);
const step = numberIn(values.step, 1);
const wanted = numberIn(values.crashes, 0);
const most = wanted > 0 ? Number.MAX_SAFE_INTEGER : numberIn(values.seeds, values.seed === undefined ? 200 : 1);
const processes = numberIn(values.processes, Math.min(availableParallelism(), Math.ceil(most / (4 * BATCH))));

const sometimes = createSometimes();
const begun = performance.now();
let reported = { at: begun, crashes: 0 };
let stories = 0;
let crashes = 0;
let written = '';

if (values.help) console.log(HELP);
else await run();

async function run(): Promise<void> {
  let wrong: BatchReport['wrong'];
  for await (const report of toldBy(processes, batches())) {
    stories += report.stories;
    crashes += report.crashes;
    written = hash('sha256', `${written}${report.fingerprint}`, 'hex');
    sometimes.add(report.counts);
    wrong = report.wrong;
    if (wrong !== undefined || (wanted > 0 && crashes >= wanted)) break;
    if (performance.now() - reported.at > REPORT_EVERY) progress();
  }
  if (wrong !== undefined) {
    process.exitCode = 1;
    await tellOf(wrong.seed, wrong.message);
  }
  if (stories > 1) {
    for (const [situation, times] of sometimes.counts)
      if (times > 0 || !remote) console.log(`${padded(times)}  ${situation}`);
  }
  const missed = missedBy(sometimes, stories, remote);
  if (missed.length > 0 && process.exitCode === undefined) {
    console.log(`never met: ${missed.join('; ')}`);
    process.exitCode = 1;
  }
  console.log(`log hash ${written}`);
  console.log(`${soFar()}, ${process.exitCode === undefined ? 'no violation' : 'FAILED'}`);
}

function* batches(): Generator<Batch> {
  for (let begun = 0; begun < most; ) {
    const seed = first + begun * step;
    // Those of one workflow stay together, wherever the first begins.
    const size = Math.min(step === 1 ? BATCH - ((seed - 1) % TELLINGS) : BATCH, most - begun);
    yield { first: seed, stories: size, step, remote };
    begun += size;
  }
}

async function tellOf(seed: number, message: string): Promise<void> {
  console.log(`seed ${seed} goes wrong: ${message}`);
  const story = storyOf(seed, { remote });
  const outcome = await createSimulation()(story, createSometimes());
  if (!values.unshrunk) console.log('looking for a shorter story…');
  console.log(`\n${toldStory(values.unshrunk ? { story, outcome } : await shrink({ story, outcome }))}`);
  console.log(`Again: npm run sim -- ${remote ? '--workers ' : ''}--seed ${seed}`);
}

function progress(): void {
  const now = performance.now();
  const rate = Math.round((crashes - reported.crashes) / ((now - reported.at) / 1_000));
  console.log(`${soFar()}, ${rate}/s since the last line`);
  reported = { at: now, crashes };
}

function soFar(): string {
  const seconds = (performance.now() - begun) / 1_000;
  const rate = Math.round(crashes / seconds);
  return `${stories} stories, ${crashes} crashes in ${seconds.toFixed(1)} s (${rate}/s, ${processes} at a time)`;
}

function numberIn(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  return refuse(`'${text}' is no whole number above 0`);
}

function understood() {
  try {
    return parseArgs({ options });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why: string): never {
  console.error(`error: ${why.replace(/\.?$/, '.')} See npm run sim -- --help`);
  process.exit(2);
}

function padded(times: number): string {
  return String(times).padStart(9);
}
