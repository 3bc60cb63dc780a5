import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CurvePoint } from './curve-point.ts';

/** Measures a point of a curve in a process of its own: what others left in memory does not count. */
export function measuredPoint(curve: string, x: number): CurvePoint {
  const point = fileURLToPath(new URL('./curve-point.ts', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', point, curve, String(x)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`the curve '${curve}' failed at ${x} (see above).`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
