import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { NoetlClient } from '../client/client.ts';
import { followTree } from './followed-tree.ts';

it('follows as many executions as it has connections, without a warning of Node', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  let open = 0;
  const live: NoetlClient['executions']['live'] = async function* (_id, { signal } = {}) {
    open += 1;
    if (signal !== undefined) await once(signal, 'abort');
    yield* [];
  };
  const tree = followTree({ live }, () => undefined);
  for (let nth = 0; nth < 100; nth += 1) tree.follow(`e${nth}`, 0);
  await setImmediate();
  expect(open).toBe(32);
  expect(warnings).toEqual([]);
  await tree.close();
});
