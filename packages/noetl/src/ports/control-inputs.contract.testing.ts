import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControlInputs, LeftInput } from './control-inputs.ts';

/** Control inputs under test; none are left. */
export interface OpenedControlInputs {
  readonly inputs: ControlInputs;
  close(): Promise<void>;
}

const pause: LeftInput = { kind: 'pause', reason: 'lunch', by: 'anna' };
const signal: LeftInput = { kind: 'signal', name: 'go', payload: { b: [1, null], a: 'ä\u0000' }, by: null };

/** What every store promises about inputs that other processes leave. */
export function controlInputsContract(name: string, open: () => Promise<OpenedControlInputs>): void {
  describe(`the control inputs (${name})`, () => {
    let opened: OpenedControlInputs;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const listed = async (after = 0, limit = 9, execution?: string) =>
      (await opened.inputs.list(after, limit, execution)).map(({ id }) => id);

    it('are found as they were left, oldest first', async () => {
      const first = await opened.inputs.put('a', pause, 5);
      const second = await opened.inputs.put('a', signal, 6);
      expect(await opened.inputs.list(0, 9, 'a')).toEqual([
        { id: first, execution: 'a', input: pause, leftAt: 5 },
        { id: second, execution: 'a', input: signal, leftAt: 6 },
      ]);
    });

    it('are found for one execution or for all, in pages', async () => {
      const ids: number[] = [];
      for (const execution of ['a', 'b', 'a', 'c']) ids.push(await opened.inputs.put(execution, pause, 0));
      expect(await listed()).toEqual(ids);
      expect(await listed(0, 2)).toEqual(ids.slice(0, 2));
      expect(await listed(ids[1], 9)).toEqual(ids.slice(2));
      expect(await listed(0, 9, 'a')).toEqual([ids[0], ids[2]]);
      expect(await listed(ids[0], 9, 'a')).toEqual([ids[2]]);
      expect(await listed(0, 9, 'd')).toEqual([]);
    });

    it('stay until they are deleted', async () => {
      const ids = [await opened.inputs.put('a', pause, 0), await opened.inputs.put('a', signal, 0)];
      expect(await listed()).toEqual(ids);
      await opened.inputs.delete([ids[0] ?? 0, 999, ids[0] ?? 0]);
      expect(await listed()).toEqual(ids.slice(1));
    });

    it('never get an id again', async () => {
      const first = await opened.inputs.put('a', pause, 0);
      await opened.inputs.delete([first]);
      expect(await opened.inputs.put('a', pause, 0)).toBeGreaterThan(first);
    });

    it('are all found when many leave some at once', async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, () => opened.inputs.put('a', pause, 0)));
      expect(new Set(ids).size).toBe(50);
      expect(await listed(0, 99)).toEqual(ids.toSorted((one, other) => one - other));
    });
  });
}
