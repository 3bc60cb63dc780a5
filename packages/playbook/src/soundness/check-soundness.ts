import type { Problems } from '../diagnostics/problems.ts';
import type { Playbook } from '../model/playbook.ts';
import { checkPipeline } from './check-pipeline.ts';
import { checkWorkflow } from './check-workflow.ts';
import type { Warn } from './warn.ts';

/** Warnings about a playbook that is valid, but can hang, stop short or surprise. */
export function checkSoundness(playbook: Playbook, problems: Problems): void {
  const warn: Warn = (code, place, length, message, hint) => {
    const start = problems.lines.offset(place);
    problems.warn(code, { start, end: start + length }, message, hint);
  };
  checkWorkflow(playbook, warn);
  for (const step of playbook.workflow) checkPipeline(step.tasks, warn);
  // A task of the workbook can jump to itself only: it is a pipeline of one.
  for (const task of playbook.workbook.values()) checkPipeline([task], warn);
}
