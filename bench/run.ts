import { optionsOf } from './options.ts';
import type { BenchResult } from './result.ts';

/**
 * Loaded one after the other, those with rivals last: nunjucks inherits from String.prototype, after which V8 goes through
 * the characters of any text only half as fast.
 */
const GROUPS: Readonly<Record<string, () => Promise<AsyncIterable<BenchResult>>>> = {
  playbook: async () => (await import('./playbook.ts')).playbookScenarios(),
  engine: async () => (await import('./engine.ts')).engineScenarios(),
  store: async () => (await import('./store.ts')).storeScenarios(),
  executions: async () => (await import('./executions.ts')).executionScenarios(),
  server: async () => (await import('./server.ts')).serverScenarios(),
  live: async () => (await import('./live.ts')).liveScenarios(),
  million: async () => (await import('./million.ts')).millionScenarios(),
  large: async () => (await import('./large.ts')).largeScenarios(),
  'under-load': async () => (await import('./under-load.ts')).underLoadScenarios(),
  results: async () => (await import('./results.ts')).resultScenarios(),
  sql: async () => (await import('./sql.ts')).sqlScenarios(),
  tools: async () => (await import('./tools.ts')).toolScenarios(),
  'large-results': async () => (await import('./large-results.ts')).largeResultScenarios(),
  template: async () => (await import('./template.ts')).templateScenarios(),
};

const HELP = `npm run bench -- [options]: measures, and prints one JSON object per line, each with a scenario.

  --only NAME   one group: ${Object.keys(GROUPS).join(', ')}
  --peers       the same executions in Restate and DBOS as well, with how many times better ours are; both are installed
                from npm outside of the project, and DBOS needs PostgreSQL
  --help        this text

Figures mean something only where nothing else is going on.

  npm run bench -- --only executions --peers
`;

const options = optionsOf({ only: { type: 'string' }, peers: { type: 'boolean' } }, HELP);
const chosen = Object.entries(GROUPS).filter(([name]) => options.only === undefined || name === options.only);
if (chosen.length === 0) {
  console.error(`error: --only ${options.only}: expected one of ${Object.keys(GROUPS).join(', ')}`);
  process.exit(2);
}
for (const [, scenarios] of chosen) {
  for await (const result of await scenarios()) console.log(JSON.stringify(result));
}
if (options.peers) {
  const { executionsBesidePeers } = await import('./executions.ts');
  for await (const result of executionsBesidePeers()) console.log(JSON.stringify(result));
}
