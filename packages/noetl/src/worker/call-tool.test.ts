import { describe, expect, it } from 'vitest';
import { ok } from '../tools/answer.ts';
import { memoryKeep } from '../tools/memory-keep.testing.ts';
import { taskCall } from '../tools/task-call.testing.ts';
import { callTool } from './call-tool.ts';

const CONTEXT = { log: () => undefined, keep: memoryKeep(), folder: '.', environment: {} };
const CLOCK = { now: () => 0, at: () => () => undefined };

describe('a call of a tool', () => {
  it('is not made for work that must stop', async () => {
    const work = { isStopped: () => true, signal: AbortSignal.abort() };
    let calls = 0;
    const answer = await callTool(async () => ok(++calls), taskCall('kind: noop'), CONTEXT, work, CLOCK);
    expect(answer.error).toMatchObject({ kind: 'cancelled', retryable: false });
    expect(calls).toBe(0);
  });

  it('asks for a signal only if the tool looks at it', async () => {
    let asked = 0;
    const work = {
      isStopped: () => false,
      get signal() {
        asked++;
        return new AbortController().signal;
      },
    };
    await callTool(async () => ok(1), taskCall('kind: noop'), CONTEXT, work, CLOCK);
    expect(asked).toBe(0);
    const looking = await callTool(
      async (_, { signal }) => ok(signal.aborted),
      taskCall('kind: noop'),
      CONTEXT,
      work,
      CLOCK,
    );
    expect(looking.result).toBe(false);
    expect(asked).toBe(1);
  });
});
