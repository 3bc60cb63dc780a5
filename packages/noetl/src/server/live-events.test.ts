import { describe, expect, it } from 'vitest';
import { createInProcessDoorbell } from '../doorbell/in-process.ts';
import { append } from '../ports/log-under-test.testing.ts';
import { notes, processed } from '../ports/sample-events.testing.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { liveEvents } from './live-events.ts';

describe('live events', () => {
  async function piecesOf(count: number, characters: number): Promise<readonly string[]> {
    const clock = createVirtualClock();
    const { log } = createMemoryStore(clock);
    const events = notes('e', 0, count).map((event) => ({ ...event, entity_id: 'x'.repeat(characters) }));
    await log.append([append('e', 0, { events: [...events, processed('e', count + 1, 'success')] })]);
    const { signal } = new AbortController();
    const pieces: string[] = [];
    const options = { execution: 'e', after: 0, log, doorbell: createInProcessDoorbell(), clock, signal };
    for await (const piece of liveEvents(options)) pieces.push(piece);
    return pieces;
  }
  const seqsOf = (pieces: readonly string[]) =>
    [...pieces.join('').matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
  const upTo = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);

  it('are sent in few pieces where they are small', async () => {
    const pieces = await piecesOf(2_000, 10);
    expect(seqsOf(pieces)).toEqual(upTo(2_001));
    expect(pieces.length).toBeLessThan(20);
  });

  it('are sent in pieces that are not large where they are large, since nobody may ever read them', async () => {
    const pieces = await piecesOf(100, 60_000);
    expect(seqsOf(pieces)).toEqual(upTo(101));
    const [, ...later] = pieces.map(({ length }) => length);
    expect(Math.max(...later)).toBeLessThan(200_000);
  });
});
