import type { Problems } from '../diagnostics/problems.ts';
import type { Playbook } from '../model/playbook.ts';
import type { Doubts } from '../reading/doubts.ts';
import { checkPipeline } from './check-pipeline.ts';
import { checkWorkflow } from './check-workflow.ts';
import type { Warn } from './warn.ts';

/** Warnings about a playbook that can hang, stop short or surprise, as far as no error leaves that open. */
export function checkSoundness(playbook: Playbook, problems: Problems, doubts: Doubts): void {
  const warn: Warn = (code, place, length, message, hint) => {
    const start = problems.lines.offset(place);
    problems.warn(code, { start, end: start + length }, message, hint);
  };
  checkWorkflow(playbook, doubts, warn);
  for (const step of playbook.workflow) checkPipeline(step.tasks, doubts, warn);
  // A task of the workbook can jump to itself only: it is a pipeline of one.
  for (const task of playbook.workbook.values()) checkPipeline([task], doubts, warn);
}
