import type { Json } from '@noetl/playbook';
import { failed, ok, stopped } from '../answer.ts';
import { cut } from '../cut.ts';
import type { ToolAnswer, ToolCall, ToolContext } from '../define-tool.ts';
import type { ProcessGroups } from './process-groups.ts';
import { type ProcessEnd, type ProcessRequest, runProcess } from './run-process.ts';

type Program = Pick<ProcessRequest, 'program' | 'args' | 'env' | 'cwd' | 'stdin' | 'outputLimit'>;

/** Runs a program for a task: `{exit_code, stdout, stderr}`, which a failure keeps. */
export async function processAnswer(
  groups: ProcessGroups,
  program: Program,
  { task, key, traceparent }: ToolCall,
  { environment, signal, log }: ToolContext,
): Promise<ToolAnswer> {
  const odd = Object.keys(program.env).find((name) => name === '' || name.includes('='));
  if (odd !== undefined) {
    return failed('task.field', `'env' of the task '${task.label}' has '${odd}', which is no name of a variable.`, {
      details: { field: 'env' },
    });
  }
  // TOOL-6: nobody else may set the key.
  const trace = traceparent === undefined ? {} : { TRACEPARENT: traceparent };
  const env = { ...environment, ...trace, ...program.env, NOETL_IDEMPOTENCY_KEY: key };
  try {
    const end = await runProcess(groups, { ...program, env, signal, log });
    return answerOf(end, program, task.label, signal);
  } catch (error) {
    return failed('process.spawn', `the task '${task.label}' could not start: ${spawnProblem(error, program)}`, {
      details: { program: program.program, code: codeOf(error) ?? null },
    });
  }
}

function answerOf(end: ProcessEnd, { program, outputLimit }: Program, label: string, signal: AbortSignal): ToolAnswer {
  const result: Json = { exit_code: end.code, stdout: end.stdout, stderr: end.stderr };
  const failure = { result, details: { exit_code: end.code, signal: end.signal } };
  switch (end.how) {
    case 'stopped':
      return stopped(signal, label, failure);
    case 'output':
      return failed(
        'process.output',
        `'${program}' of the task '${label}' was stopped after ${outputLimit} characters of output; write that much to a file.`,
        failure,
      );
    case 'signal':
      return failed('process.signal', `'${program}' of the task '${label}' was ended by ${end.signal}.`, failure);
    case 'exit':
      if (end.code === 0) return ok(result);
      return failed(
        'process.exit',
        `'${program}' of the task '${label}' ended with exit code ${end.code}${lastLine(end.stderr)}`,
        failure,
      );
  }
}

const SHOWN = 300;

function lastLine(stderr: string): string {
  const line = cut(stderr.trimEnd().split('\n').at(-1) ?? '', SHOWN);
  return line === '' ? '.' : `: ${line}`;
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function spawnProblem(error: unknown, { program, cwd }: Program): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return cwd === undefined
        ? `there is no program '${program}' on this machine; install it, or check its name and PATH.`
        : `there is no program '${program}', or no folder '${cwd}' to run it in.`;
    case 'EACCES':
      return `'${program}' may not be run; is it executable?`;
    case 'E2BIG':
      return 'its arguments and environment are longer than the system allows; pass large values by stdin or a file.';
    case 'ENOTDIR':
      return `'${cwd}' is no folder.`;
    case 'ERR_INVALID_ARG_VALUE':
      return 'an argument or variable holds a zero byte, or is empty where a program is expected.';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
