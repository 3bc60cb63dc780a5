import { writeFileSync } from 'node:fs';
import { readArguments, UsageError, wholeNumber } from './command-line.ts';
import { differencesFile, differencesPage } from './differences-page.ts';
import { runCampaign } from './fuzzing/campaign.ts';
import { describeFinding, describeSummary } from './fuzzing/describe.ts';
import { Oracle } from './oracle.ts';

/**
 * `npm run fuzz:jinja [-- --n 100000 --seed S --first I]` compares random templates with real Jinja2;
 * `-- --write-docs` writes the page of explained differences instead.
 */
async function main(): Promise<void> {
  const options = readArguments({
    n: { type: 'string' },
    seed: { type: 'string' },
    first: { type: 'string' },
    shrink: { type: 'string' },
    'write-docs': { type: 'boolean' },
  });
  if (options['write-docs'] === true) {
    writeFileSync(differencesFile, differencesPage());
    return;
  }
  const seed = wholeNumber('seed', options.seed ?? String(Date.now() % 1_000_000), 0);
  const first = wholeNumber('first', options.first ?? '0', 0);
  const count = wholeNumber('n', options.n ?? '10000', 1);
  const maxShrunk = wholeNumber('shrink', options.shrink ?? '20', 0);
  console.log(`seed ${seed}`);
  const oracle = await startOracle();
  if (oracle === undefined) return;
  try {
    const result = await runCampaign({
      oracle,
      seed,
      first,
      count,
      maxShrunk,
      onFinding: (finding) => console.log(describeFinding(seed, finding).join('\n')),
      onProgress: (done) => {
        if (done % 10_000 === 0) console.error(`… ${done} cases`);
      },
    });
    if (result.unexplained.length > 0) console.log(`unexplained indices: ${result.unexplained.join(' ')}`);
    console.log(describeSummary(result));
    process.exitCode = result.unexplained.length === 0 ? 0 : 1;
  } finally {
    oracle.stop();
  }
}

async function startOracle(): Promise<Oracle | undefined> {
  try {
    return await Oracle.start();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
    return undefined;
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
