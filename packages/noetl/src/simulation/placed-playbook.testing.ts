import type { JsonMap } from '@noetl/playbook';
import { dice } from './dice.testing.ts';

/** What steps may ask for; there is always a worker of each. */
const POOLS = ['', '', 'gpu', 'zone=eu', 'gpu,zone=eu'];

/** The same playbook with pools for some of its steps, and loops that stay with one worker or are spread. */
export function placed(playbook: JsonMap, seed: number): JsonMap {
  const luck = dice(seed);
  const workflow = (playbook.workflow as readonly JsonMap[]).map((step) => {
    const pool = luck.pick(POOLS);
    const exec = luck.pick(['local', 'distributed', 'distributed']);
    if (step.tool === undefined) return step;
    const spec = { ...(step.spec as JsonMap | undefined), ...(pool === '' ? {} : { pool }) };
    return { ...step, spec, ...(step.loop === undefined ? {} : { loop: withExec(step.loop as JsonMap, exec) }) };
  });
  return { ...playbook, workflow };
}

function withExec(loop: JsonMap, exec: string): JsonMap {
  const spec = loop.spec as JsonMap;
  return { ...loop, spec: { ...spec, policy: { ...(spec.policy as JsonMap), exec } } };
}
