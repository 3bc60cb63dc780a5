import { once } from 'node:events';
import { expect } from 'vitest';
import type { Program } from './program.testing.ts';

/** Starts a server that stays until it is stopped, and answers with its address. */
export async function detachedServer(
  program: Program,
  data: string,
  options: Parameters<Program['start']>[1] & { readonly args?: readonly string[] } = {},
): Promise<string> {
  const { args = [], ...rest } = options;
  const child = program.start(['server', 'start', '--data', data, '--port', '0', '--detach', '--json', ...args], rest);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (piece) => {
      said[stream] += piece;
    });
  }
  const [code] = await once(child, 'exit');
  expect([code, said.stderr]).toEqual([0, '']);
  return JSON.parse(said.stdout).url;
}
