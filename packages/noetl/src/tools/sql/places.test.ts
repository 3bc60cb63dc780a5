import { describe, expect, it } from 'vitest';
import { NoPlace, openPlaces } from './places.ts';

const never = new AbortController().signal;

describe('places', () => {
  it('are given to who came first, and never to more than there are', async () => {
    const places = openPlaces(2);
    const order: number[] = [];
    let inside = 0;
    let most = 0;
    const visit = async (n: number) => {
      await places.take(never);
      order.push(n);
      most = Math.max(most, ++inside);
      await new Promise((wake) => setTimeout(wake, 1));
      inside--;
      places.free();
    };
    await Promise.all([0, 1, 2, 3, 4, 5, 6].map(visit));
    expect([order, most]).toEqual([[0, 1, 2, 3, 4, 5, 6], 2]);
  });

  it('are not kept for who gave up', async () => {
    const places = openPlaces(1);
    await places.take(never);
    await expect(places.take(never, 1)).rejects.toBeInstanceOf(NoPlace);
    const stop = new AbortController();
    const stopped = places.take(stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(stopped).rejects.toThrow('cancelled');
    const next = places.take(never);
    places.free();
    await next;
    places.free();
    await places.take(never);
  });
});
