import { expect, it } from 'vitest';
import { shrink } from './shrink.testing.ts';
import { simulate } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { randomStory } from './story.testing.ts';
import { toldStory } from './told-story.testing.ts';

/** `npm run sim -- --seeds 1000000` tells more. */
const STORIES = 120;

it('whatever goes wrong with processes, store and tools, every promise is kept (EVT-3, ENG-15, DESIGN §4)', async () => {
  const sometimes = createSometimes();
  let crashes = 0;
  for (let seed = 1; seed <= STORIES; seed++) {
    const story = randomStory(seed);
    const outcome = await simulate(story, sometimes);
    crashes += outcome.ending.crashes;
    if (outcome.violation !== undefined) {
      expect.fail(`seed ${seed} goes wrong: ${toldStory(await shrink({ story, outcome }))}`);
    }
  }
  expect(crashes).toBeGreaterThan(10 * STORIES);
  expect(sometimes.counts.get('an old driver reports after a takeover')).toBeGreaterThan(0);
}, 300_000);
