import { parseArgs } from 'node:util';
import { playbookScenarios } from './playbook.ts';
import type { BenchResult } from './result.ts';
import { templateScenarios } from './template.ts';

/** `npm run bench [-- --only template]`: one JSON object per line, each with a `scenario` key. */
const { values: options } = parseArgs({ options: { only: { type: 'string' } } });

const GROUPS: Readonly<Record<string, () => AsyncIterable<BenchResult>>> = {
  template: templateScenarios,
  playbook: playbookScenarios,
};

const chosen = Object.entries(GROUPS).filter(([name]) => options.only === undefined || name === options.only);
if (chosen.length === 0) {
  console.error(`no scenarios named '${options.only}'; there are: ${Object.keys(GROUPS).join(', ')}`);
  process.exitCode = 2;
}
for (const [, scenarios] of chosen) {
  for await (const result of scenarios()) console.log(JSON.stringify(result));
}
