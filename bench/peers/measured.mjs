// What every engine is asked for, in the same way: `execute` runs one execution of that many steps, one after the other
// or side by side, and resolves at its end. The answer is one line of JSON, on standard output.

const WARM_UP = 300;
const ONE_AT_A_TIME = 200;
const IN_FLIGHT = 50;
const MANY = 2_000;
const TRIES = 5;

/**
 * @param {(shape: 'chain' | 'fan', steps: number) => Promise<unknown>} execute
 */
export async function measured(execute) {
  const chain = (/** @type {number} */ steps) => timed(() => execute('chain', steps));
  for (let run = 0; run < WARM_UP; run++) await chain(3);
  const times = [];
  for (let run = 0; run < ONE_AT_A_TIME; run++) times.push(await chain(3));
  times.sort((a, b) => a - b);
  let left = MANY;
  const lane = async () => {
    while (left-- > 0) await execute('chain', 3);
  };
  const many = await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, lane)));
  const best = async (/** @type {() => Promise<number>} */ once) => {
    const tries = [];
    for (let run = 0; run < TRIES; run++) tries.push(await once());
    return Math.min(...tries);
  };
  return {
    three_p50_ms: times[Math.floor(times.length * 0.5)] ?? 0,
    three_p99_ms: times[Math.floor(times.length * 0.99)] ?? 0,
    in_flight_per_s: (MANY * 1000) / many,
    forty_ms: await best(() => chain(40)),
    fan_ms: await best(() => timed(() => execute('fan', 1_000))),
  };
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
