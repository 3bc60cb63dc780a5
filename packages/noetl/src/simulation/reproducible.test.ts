import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type BatchReport, tellBatch } from './batch.testing.ts';
import { toldBy } from './storytellers.testing.ts';

const SCRIPT = fileURLToPath(new URL('./run.testing.ts', import.meta.url));

it.each([
  ['', false],
  [' with workers', true],
] as const)(
  'the story of a seed%s writes the same log in every process',
  async (_, remote) => {
    await tellBatch({ first: 1, stories: 4, remote });
    const { fingerprint } = await tellBatch({ first: 77, stories: 1, remote });
    const workers = remote ? ['--workers'] : [];
    const args = ['--conditions=@noetl/source', '--import', 'tsx', SCRIPT, '--seed', '77', ...workers];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(said).toContain(`log hash ${hash('sha256', fingerprint, 'hex')}`);
  },
  120_000,
);

it('what is told does not depend on how many processes tell it', async () => {
  const batches = [1, 5, 9, 13].map((first) => ({ first, stories: 2 }));
  const told = async (processes: number): Promise<readonly BatchReport[]> => {
    const reports: BatchReport[] = [];
    for await (const report of toldBy(processes, batches)) reports.push(report);
    return reports;
  };
  const alone = await told(1);
  expect(alone.map(({ first }) => first)).toEqual([1, 5, 9, 13]);
  expect(await told(2)).toEqual(alone);
}, 120_000);
