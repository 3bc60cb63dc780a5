import { expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import type { DataFolder } from './data-folder.ts';
import { printResult } from './result-output.ts';
import type { Terminal } from './terminal.ts';

it('writes a text to a file as it is, however large (RES-2)', async () => {
  const results = createMemoryResults();
  const folder = { store: createMemoryStore(createVirtualClock()), results } as unknown as DataFolder;
  let [printed, saved] = ['', ''];
  const terminal = {
    print: (text: string) => {
      printed += text;
    },
    save: async (_: string, pieces: AsyncIterable<string>) => {
      saved = '';
      for await (const piece of pieces) saved += piece;
    },
  } as unknown as Terminal;
  for (const size of [100, 9 * 1024 * 1024]) {
    const text = 'x'.repeat(size);
    const reference = await results.put(text);
    printed = '';
    await printResult(reference, { json: false, out: 'file' }, folder, terminal);
    expect(saved === text).toBe(true);
    await printResult(reference, { json: true, out: 'file' }, folder, terminal);
    expect(saved === `"${text}"\n`).toBe(true);
    await printResult(reference, { json: false }, folder, terminal);
    expect(printed === `${text}\n`).toBe(true);
  }
});
