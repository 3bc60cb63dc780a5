/** Chance that a seed repeats, in any process and on any machine. */
export interface Dice {
  /** A whole number from 0 up to, not including, `sides`. */
  roll(sides: number): number;
  /** True once in so many times. */
  once(inTimes: number): boolean;
  /** A whole number between the two, both included. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
}

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = (sides: number): number => {
    state = (state + 0x9e3779b9) >>> 0;
    return scrambled(state) % sides;
  };
  return {
    roll,
    once: (inTimes) => roll(inTimes) === 0,
    between: (least, most) => least + roll(most - least + 1),
    pick: (choices) => choices[roll(choices.length)] as (typeof choices)[number],
  };
}

/** A number that follows from others, for chance that must not depend on what was rolled before it. */
export const chanceOf = (...parts: readonly number[]): number =>
  parts.reduce((mixed, part) => scrambled((mixed ^ part) + 0x9e3779b9), 0x2545f491);

function scrambled(given: number): number {
  let mixed = given >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
