import type { ToolAnswer } from '../tools/define-tool.ts';

/** What tools say of a file, a module or a folder that is not there. */
const MISSING =
  /there is no (?:such )?(?:file|folder|'[^']*\/)|no such file|no files found|cannot find (?:module|package)|no module named|ENOENT/i;

const ADVICE =
  'The task runs where only those files of its playbook are that the playbook names. Names that templates make, libs, databases, and what code opens ' +
  'by itself are not sent with it: put them on the machines that run the task, and name them by absolute paths.';

/** Says what to do, where a task that runs elsewhere than its playbook was written misses something that is beside it. */
export function toldElsewhere(answer: ToolAnswer): ToolAnswer {
  const { error } = answer;
  if (error === undefined || !MISSING.test(error.message)) return answer;
  const between = error.message.includes('\n') ? '\n' : ' ';
  return { ...answer, error: { ...error, message: `${error.message.trimEnd()}${between}${ADVICE}` } };
}
