import { programOfOptions } from '../program-of-options.ts';
import { wholeOption } from '../whole-option.ts';
import { runCampaign } from './campaign.ts';

const HELP = `npm run fuzz:api -- [--requests N] [--seed S] [--first I]

Sends requests that follow from the OpenAPI document to a process of the built server: valid, mutated and hostile ones.
Each must be answered with 2xx as the document describes it, or with 4xx and a problem document, without a trace of calls and
without any of the secrets that the server holds. Leases that were never given must be refused. Afterwards it must still
work, stop well, and its log must verify. Of 20000 requests and more, every operation must have answered well once.

  --requests N  how many (20000 unless given)
  --seed S      the chance that requests follow from; a new one unless given, and printed
  --first I     the number of the first request, as a finding names it
  --help        print this help

The exit code is 0 if all went well, 1 if something did not, 2 if the options make no sense.
`;

const WHOLE = 20_000;
const options = {
  requests: { type: 'string' },
  seed: { type: 'string' },
  first: { type: 'string' },
} as const;

await programOfOptions(HELP, options, async (values) => {
  const seed = wholeOption('seed', values.seed, Date.now() % 1_000_000, 0);
  const count = wholeOption('requests', values.requests, WHOLE);
  const first = wholeOption('first', values.first, 0, 0);
  console.log(`seed ${seed}`);
  const started = performance.now();
  const result = await runCampaign({
    seed,
    count,
    first,
    progress: (done, found) => console.error(`… ${done} requests, ${found} findings`),
  });
  for (const { index, operation, problem, request, answer } of result.findings) {
    console.log(`${operation} ${problem}\n  request ${request}\n  answer ${answer}`);
    console.log(`  again: npm run fuzz:api -- --seed ${seed} --first ${index} --requests 1`);
  }
  for (const problem of result.aftermath) console.log(problem);
  const { requests, statuses, unreached, operations, findings, aftermath } = result;
  const told = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`);
  const rate = Math.round(requests / ((performance.now() - started) / 1000));
  console.log(`${requests} requests (${told.join(', ')}), ${rate}/s`);
  const except = unreached.length === 0 ? '' : `, all but ${unreached.join(', ')}`;
  console.log(`${operations - unreached.length} of ${operations} operations answered well${except}`);
  console.log(`${findings.length} findings, ${aftermath.length} problems afterwards`);
  // A campaign of this size that misses an operation proves nothing of it.
  const missed = count >= WHOLE ? unreached.length : 0;
  return findings.length + aftermath.length + missed === 0 ? 0 : 1;
});
