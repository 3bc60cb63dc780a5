import { expect, it } from 'vitest';
import { tellBatch } from './batch.testing.ts';
import { shrink } from './shrink.testing.ts';
import { createSimulation } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { randomStory, TELLINGS } from './story.testing.ts';
import { toldStory } from './told-story.testing.ts';

/** Each about another workflow. `npm run sim -- --crashes 1000000` tells more. */
const STORIES = 200;

it('whatever goes wrong with processes, store and tools, every promise is kept (EVT-3, ENG-15, DESIGN §4)', async () => {
  const { crashes, counts, wrong } = await tellBatch({ first: 1, stories: STORIES, step: TELLINGS });
  if (wrong !== undefined) {
    const story = randomStory(wrong.seed);
    const outcome = await createSimulation()(story, createSometimes());
    expect.fail(`seed ${wrong.seed} goes wrong: ${toldStory(await shrink({ story, outcome }))}`);
  }
  expect(crashes).toBeGreaterThan(10 * STORIES);
  expect(new Map(counts).get('an old driver reports after a takeover')).toBeGreaterThan(0);
}, 300_000);
