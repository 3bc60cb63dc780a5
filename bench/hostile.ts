import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HOSTILE_INPUTS } from './hostile-inputs.ts';
import { type BenchResult, rounded } from './result.ts';

const GOAL_MS = 250;
const GOAL_MEGABYTES = 64;
const CHILD = fileURLToPath(new URL('./hostile-child.ts', import.meta.url));

/** Each input in a fresh process, whose memory is then its own. */
export function* hostileScenarios(): Generator<BenchResult> {
  for (const name of Object.keys(HOSTILE_INPUTS)) {
    const output = execFileSync(process.execPath, [...process.execArgv, CHILD, name], { encoding: 'utf8' });
    const { ms, megabytes, code } = JSON.parse(output) as { ms: number; megabytes: number; code: string };
    yield {
      scenario: `template.hostile.${name}`,
      ms: rounded(ms),
      megabytes: rounded(megabytes),
      goalMs: GOAL_MS,
      goalMegabytes: GOAL_MEGABYTES,
      met: ms < GOAL_MS && megabytes < GOAL_MEGABYTES && code.startsWith('NOETL_TEMPLATE_'),
      code,
    };
  }
}
