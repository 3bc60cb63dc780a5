/** A whole number that an option was given, or another if it was not. */
export function wholeOption(name: string, given: string | undefined, otherwise: number, least = 1): number {
  const value = given === undefined ? otherwise : Number(given);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`--${name} ${given}: expected a whole number from ${least} on`);
}
