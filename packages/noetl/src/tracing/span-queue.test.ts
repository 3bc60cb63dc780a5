import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import type { Sent } from './otlp-sender.ts';
import type { TraceSpan } from './span.ts';
import { createSpanQueue } from './span-queue.ts';

const TAKEN: Sent = { kind: 'taken', rejected: 0, why: '' };
const AWAY: Sent = { kind: 'later', after: 0, why: 'ECONNREFUSED' };
const span = { name: 'a span' } as TraceSpan;

/** A queue with a receiver that answers as it is told, one answer for each request; the last is said again. */
function queued(...answers: readonly (Sent | Promise<Sent>)[]) {
  const clock = createVirtualClock();
  const sent: number[] = [];
  const told: (string | undefined)[] = [];
  const queue = createSpanQueue({
    clock,
    most: 10,
    batch: 4,
    delay: 1_000,
    send: async (spans) => {
      sent.push(spans.length);
      return answers[Math.min(sent.length, answers.length) - 1] ?? TAKEN;
    },
    trouble: (why) => told.push(why),
  });
  const add = (count: number): void => {
    for (let nth = 0; nth < count; nth++) queue.add(span);
  };
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advanceTo(clock.now() + milliseconds);
    await settled();
  };
  return { queue, add, pass, sent, told };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('spans on their way out', () => {
  it('are collected for a moment, and sent together', async () => {
    const { queue, add, pass, sent } = queued();
    add(3);
    await pass(999);
    expect(sent).toEqual([]);
    await pass(1);
    expect(sent).toEqual([3]);
    expect(queue.counts()).toEqual({ sent: 3, dropped: 0, refused: 0 });
  });

  it('go at once when they fill a request, one request at a time', async () => {
    let answer = (_: Sent): void => undefined;
    const { add, pass, sent } = queued(new Promise<Sent>((resolve) => (answer = resolve)), TAKEN);
    add(9);
    await settled();
    expect(sent).toEqual([4]);
    answer(TAKEN);
    await settled();
    expect(sent).toEqual([4, 4]);
    await pass(1_000);
    expect(sent).toEqual([4, 4, 1]);
  });

  it('are dropped where too many wait, which is counted and told once', async () => {
    const { queue, add, sent, told } = queued(new Promise<Sent>(() => undefined));
    add(4 + 10 + 25);
    await settled();
    expect(sent).toEqual([4]);
    expect(queue.counts()).toEqual({ sent: 0, dropped: 25, refused: 0 });
    expect(told).toEqual(['more than 10 spans wait to be sent']);
  });

  it('are tried again with growing pauses while the receiver is away, told once, and told when it is back', async () => {
    const { queue, add, pass, sent, told } = queued(AWAY, AWAY, AWAY, TAKEN);
    add(4);
    await settled();
    for (const pause of [1_000, 2_000, 4_000]) {
      const before = sent.length;
      await pass(pause - 1);
      expect(sent.length).toBe(before);
      await pass(1);
      expect(sent.length).toBe(before + 1);
    }
    expect(told).toEqual(['ECONNREFUSED', undefined]);
    expect(queue.counts()).toEqual({ sent: 4, dropped: 0, refused: 0 });
  });

  it('wait as long as the receiver says', async () => {
    const { add, pass, sent } = queued({ kind: 'later', after: 30_000, why: 'busy' }, TAKEN);
    add(4);
    await settled();
    await pass(29_999);
    expect(sent).toEqual([4]);
    await pass(1);
    expect(sent).toEqual([4, 4]);
  });

  it('are given up after six tries', async () => {
    const { queue, add, pass, sent, told } = queued(AWAY);
    add(4);
    await settled();
    for (let nth = 0; nth < 10; nth++) await pass(60_000);
    expect(sent).toHaveLength(6);
    expect(queue.counts()).toEqual({ sent: 0, dropped: 4, refused: 0 });
    expect(told).toEqual(['ECONNREFUSED']);
  });

  it('that are refused are not sent again, all or some of them', async () => {
    const refused = queued({ kind: 'refused', why: 'it answers 401' });
    refused.add(4);
    await settled();
    await refused.pass(60_000);
    expect([refused.sent, refused.queue.counts().refused, refused.told]).toEqual([[4], 4, ['it answers 401']]);
    const partly = queued({ kind: 'taken', rejected: 1, why: 'too odd' });
    partly.add(4);
    await settled();
    expect(partly.queue.counts()).toEqual({ sent: 3, dropped: 0, refused: 1 });
    expect(partly.told).toEqual(['it rejects 1 of 4 spans: too odd']);
  });

  it.each([
    [9, { sent: 0, dropped: 0, refused: 4 }],
    [-9, { sent: 4, dropped: 0, refused: 0 }],
  ])('are counted once, also if the receiver rejects %d of 4', async (rejected, counts) => {
    const odd = queued({ kind: 'taken', rejected, why: '' });
    odd.add(4);
    await settled();
    expect(odd.queue.counts()).toEqual(counts);
  });

  it('are all sent at the end', async () => {
    const { queue, add, sent } = queued();
    add(6);
    await queue.close(2_000);
    expect(sent).toEqual([4, 2]);
    expect(queue.counts().sent).toBe(6);
  });

  it('hold nobody up at the end where the receiver is away', async () => {
    const { queue, add, pass, sent } = queued(AWAY);
    add(9);
    await settled();
    const closed = queue.close(2_000);
    await pass(0);
    await closed;
    expect(sent).toEqual([4, 4]);
    expect(queue.counts().dropped).toBe(9);
  });

  it('hold nobody up at the end where the receiver never answers', async () => {
    let answer = (_: Sent): void => undefined;
    const { queue, add, pass } = queued(new Promise<Sent>((resolve) => (answer = resolve)));
    add(9);
    await settled();
    const closed = queue.close(2_000);
    await pass(2_000);
    // What is sent is aborted then, and comes back so.
    answer(AWAY);
    await closed;
    expect(queue.counts()).toEqual({ sent: 0, dropped: 9, refused: 0 });
  });
});
