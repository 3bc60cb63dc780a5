import { expect, it } from 'vitest';
import { type Batch, type BatchReport, storyOf, tellBatch } from './batch.testing.ts';
import { shrink } from './shrink.testing.ts';
import { createSimulation } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { TELLINGS } from './story.testing.ts';
import { toldStory } from './told-story.testing.ts';

/** Each about another workflow. `npm run sim -- --crashes 1000000` tells more. */
const STORIES = 200;
const STORIES_WITH_WORKERS = 60;

async function told(batch: Omit<Batch, 'first' | 'step'>): Promise<BatchReport> {
  const report = await tellBatch({ ...batch, first: 1, step: TELLINGS });
  const { wrong } = report;
  if (wrong === undefined) return report;
  const story = storyOf(wrong.seed, batch);
  const outcome = await createSimulation()(story, createSometimes());
  expect.fail(`seed ${wrong.seed} goes wrong: ${toldStory(await shrink({ story, outcome }))}`);
}

it('whatever goes wrong with processes, store and tools, every promise is kept (EVT-3, ENG-15, DESIGN §4)', async () => {
  const { crashes, counts } = await told({ stories: STORIES });
  expect(crashes).toBeGreaterThan(10 * STORIES);
  expect(new Map(counts).get('an old driver reports after a takeover')).toBeGreaterThan(0);
}, 300_000);

it('whatever goes wrong between a server and its workers, leases keep their promises (EVT-3, DESIGN §4)', async () => {
  const { crashes, counts } = await told({ stories: STORIES_WITH_WORKERS, remote: true });
  expect(crashes).toBeGreaterThan(10 * STORIES_WITH_WORKERS);
  expect(new Map(counts).get('a report comes under an old lease')).toBeGreaterThan(0);
  expect(new Map(counts).get('a server starts again while workers work')).toBeGreaterThan(0);
}, 300_000);
