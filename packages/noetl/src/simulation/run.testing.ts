import { parseArgs } from 'node:util';
import { shrink } from './shrink.testing.ts';
import { simulate } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { randomStory } from './story.testing.ts';
import { toldStory } from './told-story.testing.ts';

/**
 * `npm run sim -- [--seeds N] [--seed S]`: tells N random stories, from seed S on, and stops at the first that goes wrong.
 * With `--unshrunk` that is told as it is. From so many stories on, situations that were never met are a failure, too.
 */
const LONG = 10_000;
const REPORT_EVERY = 30_000;

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, seed: { type: 'string' }, unshrunk: { type: 'boolean' } },
});
const first = Number(values.seed ?? 1);
const count = Number(values.seeds ?? (values.seed === undefined ? 200 : 1));
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1) {
  console.error('npm run sim -- [--seeds N] [--seed S]: N and S are whole numbers');
  process.exit(2);
}

const sometimes = createSometimes();
const begun = performance.now();
let crashes = 0;
let told = 0;
let reported = begun;

for (let seed = first; seed < first + count && process.exitCode === undefined; seed++) {
  const story = randomStory(seed);
  const outcome = await simulate(story, sometimes);
  told += 1;
  crashes += outcome.ending.crashes;
  if (count === 1) console.log(`log hash ${outcome.ending.fingerprint}`);
  if (outcome.violation !== undefined) {
    console.log(`seed ${seed} goes wrong: ${outcome.violation.message}`);
    if (!values.unshrunk) console.log('looking for a shorter story…');
    console.log(`\n${toldStory(values.unshrunk ? { story, outcome } : await shrink({ story, outcome }))}`);
    console.log(`Again: npm run sim -- --seed ${seed}`);
    process.exitCode = 1;
  }
  if (performance.now() - reported < REPORT_EVERY) continue;
  reported = performance.now();
  console.log(progress());
}

if (count > 1)
  for (const [situation, times] of sometimes.counts) console.log(`${String(times).padStart(9)}  ${situation}`);
const never = [...sometimes.counts].filter(([, times]) => times === 0).map(([situation]) => situation);
if (count >= LONG && never.length > 0 && process.exitCode === undefined) {
  console.log(`never met: ${never.join('; ')}`);
  process.exitCode = 1;
}
console.log(`${progress()}, ${process.exitCode === undefined ? 'no violation' : 'FAILED'}`);

function progress(): string {
  const seconds = (performance.now() - begun) / 1_000;
  return `${told} stories, ${crashes} crashes in ${seconds.toFixed(1)} s (${Math.round(crashes / seconds)}/s)`;
}
