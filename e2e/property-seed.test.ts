import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshSeed } from '../scripts/fresh-seed.mjs';

/** The environment of the workers, given that of the caller. */
const environment = (asked: string | undefined): NodeJS.ProcessEnv => {
  const env = { PROPERTY_SEED: asked };
  freshSeed(env);
  return env;
};

describe('the seed of properties', () => {
  it('is that of the file, or the one that is asked for', () => {
    const asked = process.env.PROPERTY_SEED;
    expect(fc.readConfigureGlobal().seed).toBe(asked ? Number(asked) : 1_539_951_618);
  });

  it('is drawn once if a fresh one is asked for', () => {
    const { PROPERTY_SEED: drawn = '' } = environment('random');
    expect(drawn).toMatch(/^\d+$/);
    expect(environment(drawn)).toEqual({ PROPERTY_SEED: drawn });
  });

  it.each([undefined, '', '42', '-7'])('stays %j', (asked) => {
    expect(environment(asked)).toEqual({ PROPERTY_SEED: asked });
  });

  it('is nothing else', () => {
    expect(() => environment('luck')).toThrow("PROPERTY_SEED is 'luck'; it is to be a whole number, or 'random'.");
  });
});
