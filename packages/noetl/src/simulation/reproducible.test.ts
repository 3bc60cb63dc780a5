import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { simulate } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { randomStory } from './story.testing.ts';

const SCRIPT = fileURLToPath(new URL('./run.testing.ts', import.meta.url));

it.each([3, 21, 77])(
  'the story of seed %i writes the same log in every process',
  async (seed) => {
    const { ending } = await simulate(randomStory(seed), createSometimes());
    const args = ['--conditions=@noetl/source', '--import', 'tsx', SCRIPT, '--seed', String(seed)];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(said).toContain(`log hash ${ending.fingerprint}`);
  },
  120_000,
);
