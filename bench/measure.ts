const SAMPLES = 7;
const SAMPLE_MS = 60;

/** Microseconds per call: the fastest of several samples, which is the one least disturbed by the machine. */
export function microsPerCall(action: () => unknown): number {
  const rounds = calibrate(action);
  let best = Infinity;
  for (let sample = 0; sample < SAMPLES; sample += 1) best = Math.min(best, timeOf(action, rounds) / rounds);
  return best * 1000;
}

/** How many calls fill one sample; running them also warms the compiler up. */
function calibrate(action: () => unknown): number {
  let rounds = 1;
  for (;;) {
    const elapsed = timeOf(action, rounds);
    if (elapsed >= SAMPLE_MS) return Math.max(1, Math.round((rounds * SAMPLE_MS) / elapsed));
    rounds *= 2;
  }
}

/** Results are kept for a moment, so that no call can be optimised away. */
let lastResult: unknown;

function timeOf(action: () => unknown, rounds: number): number {
  const started = performance.now();
  for (let round = 0; round < rounds; round += 1) lastResult = action();
  const elapsed = performance.now() - started;
  if (lastResult === timeOf) throw new Error('unreachable: keeps the result observable');
  return elapsed;
}
