// DBOS: workflows in this process, its state in PostgreSQL.

import { DBOS } from '@dbos-inc/dbos-sdk';
import { measured } from './measured.mjs';

const [systemDatabaseUrl] = process.argv.slice(2);

const step = (/** @type {number} */ nth) => DBOS.runStep(async () => nth, { name: `s${nth}` });

const chain = DBOS.registerWorkflow(
  async (/** @type {number} */ steps) => {
    for (let nth = 0; nth < steps; nth++) await step(nth);
    return steps;
  },
  { name: 'chain' },
);
const fan = DBOS.registerWorkflow(
  async (/** @type {number} */ steps) =>
    (await Promise.all(Array.from({ length: steps }, (_, nth) => step(nth)))).length,
  { name: 'fan' },
);

DBOS.setConfig({ name: 'bench', systemDatabaseUrl, runAdminServer: false, logLevel: 'error' });
await DBOS.launch();
try {
  const figures = await measured((shape, steps) => (shape === 'chain' ? chain(steps) : fan(steps)));
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await DBOS.shutdown();
}
process.exit();
