import { openDataFolder } from '../../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../../packages/noetl/src/cli/system-clock.ts';
import { verifyExecution } from '../../packages/noetl/src/server/verify/verify-execution.ts';
import type { Program } from '../program.testing.ts';

/** What is not intact in a data folder; empty if all is. */
export type Verify = (program: Program, data: string) => Promise<readonly string[]>;

/** As a user would find out. */
export const verifiedByCommand: Verify = async (program, data) => {
  const { code, stdout, stderr } = await program.run(['exec', 'verify', '--all', '--data', data]);
  return code === 0 ? [] : [`noetl exec verify: ${stdout}${stderr}`];
};

/** The same without a process of its own: for tests that have little time. */
export const verifiedInPlace: Verify = async (_, data) => {
  const { store, results } = await openDataFolder(data, systemClock, 'look');
  const problems: string[] = [];
  try {
    for (const { execution } of await store.executions.list({}, undefined, 1_000)) {
      const { difference } = await verifyExecution(execution, { ...store, results });
      if (difference !== undefined) problems.push(`${execution} is not intact: ${difference.message}`);
    }
    const strays = await store.inspection.strays();
    if (strays > 0) problems.push(`${strays} events belong to no execution`);
  } finally {
    await store.close();
  }
  return problems;
};
