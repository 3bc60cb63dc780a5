import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Json, JsonMap } from '@noetl/playbook';
import { failed, ok, stopped } from '../answer.ts';
import { isMap, textOf, unfit } from '../checked-fields.ts';
import { cut } from '../cut.ts';
import { defineTool, type Tool, type ToolAnswer } from '../define-tool.ts';
import { codeOf } from '../process/process-answer.ts';
import type { ToolLimits } from '../tool-host.ts';
import { codeLimitsOf, overCpu } from '../warm/code-limits.ts';
import { codeMessage, codeName, placesOf, type WrittenCode } from '../warm/code-places.ts';
import type { Pools } from '../warm/pools.ts';
import type { WarmEnd } from '../warm/warm-process.ts';
import { PYTHON_DRIVER } from './python-driver.ts';

/** TOOL-4: real CPython from a warm pool. */
export const pythonTool = (pools: Pools, limits: ToolLimits): Tool =>
  defineTool({
    kind: 'python',
    run: async (call, { folder, playbook, environment, signal, log }) => {
      const { input, task, key, traceparent } = call;
      const written: WrittenCode = { label: task.label, at: task.codeAt, playbook };
      const program = interpreterOf(input.libs, folder);
      if (typeof program !== 'string') return unfit(task.label, 'libs', program.found, 'the folder of a virtualenv');
      if (!existsSync(program) && typeof input.libs === 'string') {
        const problem = `there is no '${program}'; python3 -m venv '${input.libs}' makes a virtualenv.`;
        return failed('task.field', `'libs' of the task '${task.label}': ${problem}`, { details: { field: 'libs' } });
      }
      if (typeof input.file === 'string' && !existsSync(resolve(folder, input.file))) {
        return failed('task.field', `'file' of the task '${task.label}': there is no file '${input.file}'.`);
      }
      const { memoryBytes, cpuSeconds } = codeLimitsOf(call.spec, limits);
      const pool = pools.get({
        program,
        args: ['-u', '-c', PYTHON_DRIVER],
        settings: JSON.stringify({ memory: memoryBytes, log: limits.logBytes, result: limits.resultBytes }),
        env: environment,
        cwd: undefined,
      });
      const request = JSON.stringify({ ...requestOf(input, written, folder), cpu: cpuSeconds ?? 0, key, traceparent });
      const end = await pool.call({ request, signal, log });
      if (end.kind === 'died' && end.signal === 'SIGPROF' && cpuSeconds !== undefined) {
        return overCpu('python.cpu', task.label, cpuSeconds);
      }
      return answerOf(end, written, signal, program);
    },
    close: () => pools.close(),
  });

/** `libs` names a virtualenv; its own interpreter knows its libraries. */
function interpreterOf(libs: Json | undefined, folder: string): string | { readonly found: Json } {
  if (libs === undefined || libs === null) return 'python3';
  return typeof libs === 'string' ? join(resolve(folder, libs), 'bin', 'python') : { found: libs };
}

const requestOf = ({ code, file, entry, args }: JsonMap, written: WrittenCode, folder: string): JsonMap => ({
  ...(typeof code === 'string' ? { code, ...codeName(written) } : { name: resolve(folder, textOf(file ?? null)) }),
  entry: entry ?? 'main',
  entry_given: entry !== undefined,
  args: args ?? {},
});

function answerOf(end: WarmEnd, written: WrittenCode, signal: AbortSignal, program: string): ToolAnswer {
  const { label } = written;
  switch (end.kind) {
    case 'answer':
      return 'result' in end.answer ? ok(end.answer.result ?? null) : exceptionAnswer(end.answer, written);
    case 'stopped':
      return stopped(signal, label);
    case 'too-large':
      return failed('result.size', `the result of the task '${label}' is too large; write it to a file.`);
    case 'unstartable':
      return failed('process.spawn', spawnMessage(end.error, label, program));
    case 'died':
      return failed('python.crash', `Python ended in the middle of the task '${label}': ${deathOf(end)}`, {
        details: { exit_code: end.code, signal: end.signal, stderr: end.stderr },
      });
  }
}

function exceptionAnswer(answer: JsonMap, written: WrittenCode): ToolAnswer {
  const { label } = written;
  const message = textOf(answer.message ?? null);
  switch (answer.kind) {
    case 'python.exit':
      return failed(
        'python.exit',
        `the code of the task '${label}' called sys.exit(${answer.code === null ? '' : JSON.stringify(answer.code)}); return from main instead, or raise an exception.`,
        { details: { code: answer.code ?? null }, py: { exception_type: 'SystemExit' } },
      );
    case 'python.exception': {
      const type = textOf(answer.type ?? null);
      const places = placesOf(answer.places);
      return failed('python.exception', codeMessage(`${type}: ${message}`, places, written), {
        retryable: answer.retryable === true,
        details: { exception_type: type, traceback: places.map((place) => ({ ...place })) },
        py: { exception_type: type },
      });
    }
    case 'result.json':
    case 'result.size':
    case 'task.field':
      return failed(answer.kind, `the task '${label}': ${message}`);
    default:
      return failed('python.crash', `Python gave the task '${label}' an answer that cannot be read.`, {
        details: { kinds: isMap(answer) ? Object.keys(answer) : [] },
      });
  }
}

function deathOf({ code, signal, stderr }: Extract<WarmEnd, { kind: 'died' }>): string {
  const cause = stderr.trim().split('\n')[0] ?? '';
  if (code === null && signal === null) return cause === '' ? 'it has ended.' : `${cut(cause, 200)}.`;
  const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
  const hint = signal === 'SIGKILL' ? '; the system may have run out of memory' : '';
  return cause === '' ? `${how}${hint}.` : `${how}${hint} (${cut(cause, 200)}).`;
}

function spawnMessage(error: Error, label: string, program: string): string {
  return codeOf(error) === 'ENOENT'
    ? `the task '${label}' needs Python, but there is no '${program}' on this machine; install Python 3.8 or newer (Debian: apt-get install python3), or check PATH.`
    : `the task '${label}' needs Python, but '${program}' could not be started: ${error.message}`;
}
