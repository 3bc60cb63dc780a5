import type { Task } from '../model/playbook.ts';
import type { Doubts } from '../reading/doubts.ts';
import { checkJumps } from './check-jumps.ts';
import { checkRetries } from './check-retries.ts';
import type { Warn } from './warn.ts';

/** What can be seen of the rules of one pipeline. */
export function checkPipeline(tasks: readonly Task[], doubts: Doubts, warn: Warn): void {
  if (!tasks.some((task) => doubts.tasks.has(task))) checkJumps(tasks, warn);
  for (const task of tasks) if (!doubts.tasks.has(task)) checkRetries(task, warn);
}
