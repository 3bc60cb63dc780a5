import type { Fault, Pressure } from './faults.testing.ts';
import { simplerStories, withoutOne } from './simpler-story.testing.ts';
import { createSimulation, type Outcome } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import type { Story } from './story.testing.ts';

/** A story that goes wrong, and how. */
export interface BadStory {
  readonly story: Story;
  readonly outcome: Outcome;
}

/** How often a story may be told again to find a shorter one. */
const MOST_TRIES = 1_000;
/** A shorter workflow makes other calls: the same faults miss, so that others are tried. */
const OTHER_SEEDS = 12;

/** The same kind of violation, in a story that is as short as it can be found: fewer faults, less to do, fewer controls. */
export async function shrink(bad: BadStory, told: (story: Story) => Promise<Outcome> = toldAlone): Promise<BadStory> {
  const { invariant } = bad.outcome.violation ?? {};
  let tries = 0;

  async function fails(story: Story): Promise<BadStory | undefined> {
    tries += 1;
    const outcome = await told(story);
    const same = outcome.violation?.invariant === invariant && outcome.faultless === bad.outcome.faultless;
    return same ? { story: withFaults(story, outcome.ending.faults), outcome } : undefined;
  }

  /** As it is, or with other faults of the same kind. */
  async function failsSomehow(story: Story, pressure: Pressure | undefined): Promise<BadStory | undefined> {
    const found = await fails(story);
    if (found !== undefined || pressure === undefined) return found;
    for (let other = 1; other <= OTHER_SEEDS; other++) {
      const again = await fails({ ...story, seed: story.seed + other * 1_000_003, faults: pressure });
      if (again !== undefined) return again;
    }
    return undefined;
  }

  const pressure = 'most' in bad.story.faults ? bad.story.faults : undefined;
  let best: BadStory = { ...bad, story: withFaults(bad.story, bad.outcome.ending.faults) };
  for (let improved = true; improved && tries < MOST_TRIES; ) {
    improved = false;
    for (const story of simplerStories(best.story)) {
      const found = tries < MOST_TRIES ? await failsSomehow(story, pressure) : undefined;
      if (found === undefined) continue;
      best = found;
      improved = true;
      break;
    }
    if (!improved) {
      const fewer = await withFewerFaults(best, fails);
      improved = fewer !== undefined;
      best = fewer ?? best;
    }
  }
  return best;
}

const simulate = createSimulation();

const toldAlone = (story: Story): Promise<Outcome> => simulate(story, createSometimes());

const withFaults = (story: Story, faults: readonly Fault[]): Story => ({ ...story, faults });

async function withFewerFaults(
  { story }: BadStory,
  fails: (story: Story) => Promise<BadStory | undefined>,
): Promise<BadStory | undefined> {
  const faults = 'most' in story.faults ? [] : story.faults;
  const half = Math.ceil(faults.length / 2);
  const candidates = [faults.slice(0, half), faults.slice(half), ...withoutOne(faults)];
  for (const fewer of candidates) {
    if (fewer.length >= faults.length) continue;
    const found = await fails({ ...story, faults: fewer });
    // What is left out may make others miss: only what is really less counts.
    if (found !== undefined && 'length' in found.story.faults && found.story.faults.length < faults.length)
      return found;
  }
  return undefined;
}
