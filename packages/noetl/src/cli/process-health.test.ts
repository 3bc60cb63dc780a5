import { describe, expect, it } from 'vitest';
import { lateness, watchProcess } from './process-health.ts';

describe('the health of the process', () => {
  it('counts an event loop that comes on time as not late at all', () => {
    expect([lateness(20e6), lateness(19.9e6), lateness(520e6)]).toEqual([0, 0, 0.5]);
  });

  it('sees an event loop that was held up, until it has told so', async () => {
    const watched = watchProcess();
    const turn = () => new Promise((resolve) => setTimeout(resolve, 60));
    await turn();
    watched.look();
    // The first timer after a look has none before it to be measured from.
    await turn();
    for (const end = performance.now() + 300; performance.now() < end; );
    await turn();
    const { loopDelay, residentBytes, heapBytes } = watched.look();
    watched.close();
    expect(loopDelay.max).toBeGreaterThan(0.2);
    expect(loopDelay.mean).toBeLessThanOrEqual(loopDelay.max);
    expect(residentBytes).toBeGreaterThan(heapBytes);
  });
});
