import { parseArgs } from 'node:util';
import type { BenchResult } from './result.ts';

/**
 * `npm run bench [-- --only template] [--peers]`: one JSON object per line, each with a `scenario` key. `--peers` measures
 * the executions of other engines as well.
 */
const { values: options } = parseArgs({ options: { only: { type: 'string' }, peers: { type: 'boolean' } } });

/**
 * Loaded one after the other, those with rivals last: nunjucks inherits from String.prototype, after which V8 goes through
 * the characters of any text only half as fast.
 */
const GROUPS: Readonly<Record<string, () => Promise<AsyncIterable<BenchResult>>>> = {
  playbook: async () => (await import('./playbook.ts')).playbookScenarios(),
  engine: async () => (await import('./engine.ts')).engineScenarios(),
  store: async () => (await import('./store.ts')).storeScenarios(),
  executions: async () => (await import('./executions.ts')).executionScenarios(),
  large: async () => (await import('./large.ts')).largeScenarios(),
  'under-load': async () => (await import('./under-load.ts')).underLoadScenarios(),
  results: async () => (await import('./results.ts')).resultScenarios(),
  sql: async () => (await import('./sql.ts')).sqlScenarios(),
  tools: async () => (await import('./tools.ts')).toolScenarios(),
  'large-results': async () => (await import('./large-results.ts')).largeResultScenarios(),
  template: async () => (await import('./template.ts')).templateScenarios(),
};

const chosen = Object.entries(GROUPS).filter(([name]) => options.only === undefined || name === options.only);
if (chosen.length === 0) {
  console.error(`no scenarios named '${options.only}'; there are: ${Object.keys(GROUPS).join(', ')}`);
  process.exitCode = 2;
}
for (const [, scenarios] of chosen) {
  for await (const result of await scenarios()) console.log(JSON.stringify(result));
}
if (options.peers) {
  const { executionsBesidePeers } = await import('./executions.ts');
  for await (const result of executionsBesidePeers()) console.log(JSON.stringify(result));
}
