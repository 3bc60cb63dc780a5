import { describe, expect, it } from 'vitest';
import { doorbellContract } from '../ports/doorbell.contract.testing.ts';
import { createInProcessDoorbell } from './in-process.ts';

doorbellContract('in process', async () => {
  const doorbell = createInProcessDoorbell();
  return { ringer: doorbell, listener: doorbell, close: async () => undefined };
});

describe('the doorbell in the process', () => {
  it('makes one ring of many that come at once', async () => {
    const doorbell = createInProcessDoorbell();
    let calls = 0;
    doorbell.listen('topic', () => {
      calls++;
    });
    for (let ring = 0; ring < 100; ring++) doorbell.ring('topic');
    await Promise.resolve();
    expect(calls).toBe(1);
  });

  it('calls a function that listens twice twice, until each has left', async () => {
    const doorbell = createInProcessDoorbell();
    let calls = 0;
    const callback = () => {
      calls++;
    };
    const [first, second] = [doorbell.listen('topic', callback), doorbell.listen('topic', callback)];
    for (const leave of [() => undefined, first, second]) {
      leave();
      doorbell.ring('topic');
      await Promise.resolve();
    }
    expect(calls).toBe(3);
  });
});
