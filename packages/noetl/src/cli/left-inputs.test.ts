import { describe, expect, it } from 'vitest';
import type { LeftInput } from '../ports/control-inputs.ts';
import { createMemoryControlInputs } from '../stores/memory/control-inputs.ts';
import { takeLeftInputs } from './left-inputs.ts';

const signal = (name: string): LeftInput => ({ kind: 'signal', name, payload: null, by: null });

const ALIVE = async (): Promise<boolean> => true;

describe('inputs that other processes left', () => {
  it('are taken in their order, only for executions that are driven here, and then forgotten', async () => {
    const inputs = createMemoryControlInputs();
    for (const [execution, name] of [
      ['mine', 'a'],
      ['other', 'b'],
      ['mine', 'c'],
    ] as const) {
      await inputs.put(execution, signal(name), 0);
    }
    const taken: LeftInput[] = [];
    const take = () =>
      takeLeftInputs(
        inputs,
        (execution) => execution === 'mine',
        async (_, input) => taken.push(input),
        ALIVE,
      );
    await take();
    await take();
    expect(taken).toMatchObject([{ name: 'a' }, { name: 'c' }]);
    expect(await inputs.list(0, 10)).toMatchObject([{ execution: 'other' }]);
  });

  it('keep their order where an execution is opened in the middle of a look', async () => {
    const inputs = createMemoryControlInputs();
    const control = (kind: 'pause' | 'resume'): LeftInput => ({ kind, reason: null, by: null });
    await inputs.put('opening', control('pause'), 0);
    await inputs.put('open', control('pause'), 0);
    await inputs.put('opening', control('resume'), 0);
    const driven = new Set(['open']);
    const taken: string[] = [];
    const take = () =>
      takeLeftInputs(
        inputs,
        (execution) => driven.has(execution),
        async (execution, { kind }) => {
          driven.add('opening');
          taken.push(`${kind} ${execution}`);
        },
        ALIVE,
      );
    await take();
    await take();
    expect(taken).toEqual(['pause open', 'pause opening', 'resume opening']);
  });

  it('come again with their number if whoever took them could not forget them', async () => {
    const inputs = createMemoryControlInputs();
    const number = await inputs.put('mine', signal('go'), 0);
    const taken: LeftInput[] = [];
    const submit = async (_: string, input: LeftInput) => taken.push(input);
    const dying = { ...inputs, delete: () => Promise.reject(new Error('the power failed')) };
    await expect(takeLeftInputs(dying, () => true, submit, ALIVE)).rejects.toThrow('the power failed');
    await takeLeftInputs(inputs, () => true, submit, ALIVE);
    expect(taken).toMatchObject([{ input: number }, { input: number }]);
    expect(await inputs.list(0, 10)).toEqual([]);
  });

  it('are left for others by who counts as dead: what it decided may be long past', async () => {
    const inputs = createMemoryControlInputs();
    await inputs.put('x', { kind: 'resume', reason: null, by: null }, 0);
    await inputs.put('x', { kind: 'cancel', reason: null, by: null }, 0);
    const taken: string[] = [];
    await takeLeftInputs(
      inputs,
      () => true,
      async (_, { kind }) => taken.push(kind),
      async () => false,
    );
    expect(taken).toEqual(['resume']);
    expect(await inputs.list(0, 10)).toHaveLength(2);
  });
});
