import { Random } from '../../jinja/fuzzing/random.ts';
import { bomb, MUTATIONS } from './mutations.ts';
import type { Seeds } from './seeds.ts';

const MAX_LENGTH = 1_100_000;

/** The document of one case: the same seed and index always give the same text. */
export function generateDocument(seeds: Seeds, seed: number, index: number): string {
  const random = new Random(seed, index);
  let text = random.chance(0.001) ? random.pick(seeds.hostile) : random.pick(seeds.usual);
  for (let round = random.int(1, 6); round > 0; round--) {
    const mutate = random.chance(0.01) ? bomb : random.pick(MUTATIONS);
    text = mutate(text, random, seeds.usual);
    if (text.length > MAX_LENGTH) text = text.slice(0, MAX_LENGTH);
  }
  return text;
}
