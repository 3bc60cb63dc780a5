/**
 * PROPERTY_SEED is unset, a number, or `random`: then it becomes a number that is told, so that the run can be repeated.
 * Workers read it from the environment; a configuration that is loaded once more finds the number.
 * @param {NodeJS.ProcessEnv} env
 */
export function freshSeed(env) {
  const asked = env.PROPERTY_SEED;
  if (asked === undefined || asked === '' || /^-?\d+$/.test(asked)) return;
  if (asked !== 'random') throw new Error(`PROPERTY_SEED is '${asked}'; it is to be a whole number, or 'random'.`);
  env.PROPERTY_SEED = String(Math.floor(Math.random() * 2 ** 31));
  console.log(`properties are drawn with PROPERTY_SEED=${env.PROPERTY_SEED}`);
}
