import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { differencesFile, differencesPage } from './differences-page.ts';
import { runCampaign } from './fuzzing/campaign.ts';
import { describeFinding, describeSummary } from './fuzzing/describe.ts';
import { Oracle } from './oracle.ts';

/**
 * `npm run fuzz:jinja [-- --n 100000 --seed S --first I]` compares random templates with real Jinja2;
 * `-- --write-docs` writes the page of explained differences instead.
 */
const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    first: { type: 'string', default: '0' },
    shrink: { type: 'string', default: '20' },
    'write-docs': { type: 'boolean', default: false },
  },
});

if (options['write-docs']) {
  writeFileSync(differencesFile, differencesPage());
} else {
  await compareWithJinja();
}

async function compareWithJinja(): Promise<void> {
  const seed = Number(options.seed ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const oracle = await startOracle();
  if (oracle === undefined) return;
  try {
    const result = await runCampaign({
      oracle,
      seed,
      first: Number(options.first),
      count: Number(options.n),
      maxShrunk: Number(options.shrink),
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
